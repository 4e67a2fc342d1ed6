import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { problemsOf } from "../../console/volumes/validate-spec.ts";
import { NeutronL2Agent } from "../../functions/eviction/lib/kinds.ts";
import { Machine } from "../../functions/satellite/lib/kinds.ts";
import { preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import { ConfigMap, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { tokenOf } from "../harness/service-account.ts";
import {
  type Console,
  noteStates,
  openConsole,
  settled,
  tabTo,
  violationsInBothThemes,
  violationsOf,
  waitForTooltip,
} from "./browser.ts";
import { hasBrowser } from "./browser-path.ts";
import { type StillCluster, stillCluster } from "./cluster.ts";
import { defineMachines } from "./define-machines.ts";
import * as objects from "./objects.ts";
import { paths } from "./paths.ts";
import { populate } from "./populate.ts";

/** What can be done on each page. */
const actions: readonly (readonly [path: string, labels: readonly string[]])[] = [
  ["/volumes?q=deletable", ["Delete"]],
  ["/kept?q=kept-2", ["Keep longer", "Keep for good", "Reclaim now", "Offer", "Name the successor"]],
  ["/kept?q=kept-3", ["Withdraw the offer"]],
  ["/satellites", ["Retain the data"]],
  ["/eviction?q=node-1", ["Approve"]],
  ["/eviction?q=node-2", ["Abort", "Try again"]],
];

/** Each field that a merge patch sets or removes, but the uid, which is only a guard. */
const changesIn = (patch: object, path: readonly string[] = []): (readonly [readonly string[], unknown])[] =>
  Object.entries(patch).flatMap(([key, value]) => {
    if (key === "uid") return [];
    if (typeof value === "object" && value !== null) return changesIn(value, [...path, key]);
    return [[[...path, key], value ?? undefined] as const];
  });

const fieldOf = (object: object, path: readonly string[]) =>
  path.reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], object);

describe.skipIf(!hasBrowser)("with something on the cluster", () => {
  let cluster: StillCluster;
  let shown: Console;
  beforeAll(async () => {
    cluster = await stillCluster();
    await populate(cluster);
    shown = await openConsole(cluster, cluster.tokens.admin);
  });
  afterEach(() => {
    // As the user that every test begins with, also after one that has failed.
    shown.client.token = cluster.tokens.admin;
  });
  afterAll(async () => {
    await shown?.close();
    await cluster?.close();
  });

  test("the overview names what has failed, what waits for a person, and what is kept", async () => {
    const page = await shown.open("/");
    const rows = page.getByRole("grid", { name: "objects that wait" });
    await rows.getByText("Not enough room").waitFor();
    await rows.getByText("SaltUnreachable").waitFor();
    await rows.getByText("due soon").waitFor();
    await rows.getByText("a person has to agree").waitFor();
    for (const [name, state] of [
      [/LinstorSatellite node-2/, "held"],
      [/PersistentVolumeClaim shop\/data-web-0/, "held"],
      [/NovaComputeNode yaook\/node-2/, "needs a person"],
    ] as const)
      await rows.getByRole("row", { name }).getByText(state, { exact: true }).waitFor();
  });

  test("the overview counts each system, and says how functions, sources, the sweep and lost events are", async () => {
    const agent = { apiVersion: NeutronL2Agent.apiVersion, kind: NeutronL2Agent.kind };
    const spec = { state: "Enabled", template: { spec: { containers: [{ name: "agent", image: "agent" }] } } };
    await cluster.add([{ ...agent, metadata: { name: "node-9", namespace: "yaook" }, spec }]);
    const page = await shown.open("/?fn-q=not+ready");
    // By hand: what stands in populate.ts, and what of it waits.
    for (const [title, count] of [
      ["Claims", "3, of which 1 waits."],
      ["Kept volumes", "3, of which 3 wait."],
      ["Volumes", "10, of which 1 waits."],
      ["StatefulSets", "1, of which none waits."],
      ["Satellites", "3, of which 1 waits."],
      ["Compute nodes and agents", "3, of which 2 wait."],
    ] as const) {
      const card = page.locator(".pf-v6-c-card", { has: page.getByRole("heading", { name: title, exact: true }) });
      await card.getByText(count, { exact: true }).waitFor();
    }
    await page.getByText(/^Last sweep .* 12 rows were swept\.$/).waitFor();
    await page.getByText(/^1, the last .* Run: holdfast replay$/).waitFor();
    const parts = page.getByRole("grid", { name: "functions and sources" });
    const broken = parts.getByRole("row", { name: /^volume-run-job function/ });
    await broken.getByText("The image is not ready.").waitFor();
    await broken.getByText(/^\d+ minutes ago/).waitFor();
    await broken.getByText("fn://volume/run-job").waitFor();
    await parts.getByRole("row", { name: /^storage source no The sink is not ready\./ }).waitFor();
    await cluster.admin.delete(NeutronL2Agent, "yaook", "node-9");
  });

  test("markup in names and messages is shown as text", async () => {
    const page = await shown.open("/object/Volume/_/failed");
    await page.getByText('Not enough room <img src=x onerror="document.title=1">').first().waitFor();
    const word = { step: "waiting", because: '<iframe srcdoc="<script>alert(1)</script>">' };
    await objects.writeDown(cluster.admin, Volume, { name: "failed" }, "holdfast.dev/volume.run-job", word);
    await page.getByText(word.because).first().waitFor();
    await cluster.add([
      objects.event("marked", { apiVersion: "v1", kind: "Volume", name: "failed" }, "Marked", "<img src=y onload=z>"),
    ]);
    await page.getByText("<img src=y onload=z>").waitFor();
    await page.getByRole("button", { name: "The object as YAML" }).click();
    await page.locator("#yaml").getByText("onerror=").waitFor();
    expect(await page.locator("main :is(img, iframe, script)").count()).toBe(0);
    expect(await page.title()).toBe("Volume failed - Holdfast");
    const annotations = { "holdfast.dev/volume.run-job": null };
    await cluster.admin.patch(Volume, undefined, "failed", "merge", { metadata: { annotations } });
    const searched = await shown.open(`/volumes?q=${encodeURIComponent('"><img src=x>')}`);
    await searched.getByText("No Volumes match").waitFor();
    expect(await searched.locator("main img").count()).toBe(0);
    const named = await shown.open(`/object/Volume/_/${encodeURIComponent("<svg onload>")}`);
    await named.getByRole("heading", { name: "Volume <svg onload>", level: 1 }).waitFor();
    expect(await named.locator("svg[onload]").count()).toBe(0);
  });

  test.each([
    ["/volumes?q=deletable&page=-1", "deletable"],
    ["/volumes?q=deletable&page=1e9&per=-5", "deletable"],
    ["/volumes?q=deletable&page=0.5&per=1e9&sort=__proto__", "deletable"],
    ["/claims?tab=none&q=data-web-0", "shop/data-web-0"],
    ["/object/pvc/shop/data-web-0?q=1#none", "web-0"],
  ])("an address that no page makes is read as well as it can be: %s", async (path, name) => {
    const page = await shown.open(path);
    await page.getByRole("link", { name, exact: true }).first().waitFor({ timeout: 30_000 });
    expect(shown.problems).toEqual([]);
  });

  test.each(["%E0%A4%A", "a%2Fb", "a,metadata.name=b", "%3Cimg%20src=x%3E", ".."])(
    "an address with the name %s, which no object can have, leads to a page that says so",
    async (name) => {
      const page = await shown.open(`/object/Volume/_/${name}`);
      const sentences = /This object does not exist|cannot be shown|There is no such page/;
      await page.getByText(sentences).first().waitFor({ timeout: 30_000 });
      expect(shown.problems).toEqual([]);
    },
  );

  test("a list is filtered and sorted by its address, which follows when a person sorts it", async () => {
    const page = await shown.open("/volumes?node=node-1&state=Available&sort=Name&desc=1");
    const names = page.locator("td[data-label=Name]");
    const sorted = ["available", "binding", "bound", "deletable", "pv-failed", "released"];
    await expect.poll(() => names.allInnerTexts(), { timeout: 60_000 }).toEqual(sorted.toReversed());
    await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
    await expect.poll(() => names.allInnerTexts(), { timeout: 60_000 }).toEqual(sorted);
    expect(page.url()).not.toContain("desc=1");
  });

  test.each([
    ["unknown", /^Unknown$/],
    ["pending", /^Pending Job PrepareVolume\.$/],
    ["available", /^Available$/],
    ["failed", /^Failed CreationError\. Not enough room </],
    ["terminating", /^Terminating$/],
  ])("the list of Volumes says how far %s is, whether there are claims or not", async (name, says) => {
    const page = await shown.open(`/volumes?q=${name}`);
    const state = page.getByRole("row", { name: new RegExp(`^${name} `) }).locator("[data-label=State]");
    const words = async () => (await state.innerText()).replaceAll(/\s+/g, " ").trim();
    await expect.poll(words, { timeout: 60_000 }).toMatch(says);
  });

  test("the page of a Volume says its device, its PersistentVolume and whose claim that is", async () => {
    const page = await shown.open("/object/Volume/_/bound");
    await page.getByText("/dev/vg/bound", { exact: true }).waitFor();
    await page.getByText("Its PersistentVolume is Bound, of the claim").waitFor();
    await page.getByRole("link", { name: "shop/data-web-1" }).first().waitFor();
    await page.getByRole("link", { name: "PersistentVolume bound" }).waitFor();
    await page.getByText("Ready True").waitFor();
  });

  test.each([
    ["/", "objects that wait", "Object", ""],
    ["/", "functions and sources", "Name", "fn-"],
    ["/volumes", "Volumes", "Name", ""],
    ["/claims", "claims", "Name", ""],
    ["/claims?tab=sets", "StatefulSets", "Name", ""],
    ["/kept", "kept volumes", "Volume", ""],
    ["/satellites", "satellites", "Node", ""],
    ["/satellites", "volumes with a copy on node-2", "Resource in LINSTOR", "node-2-"],
    ["/eviction", "compute nodes and agents", "Name", ""],
    ["/eviction", "servers that need a person", "Server", "server-"],
    ["/eviction", "Nodes", "Node", "node-"],
  ])(
    "%s: the list of %s is sorted and searched by keyboard, and its address shows it to others",
    async (path, what, by, id) => {
      const page = await shown.open(path);
      const grid = (page: Page) => page.getByRole("grid", { name: what, exact: true });
      // By the names in them: ages change while one looks.
      const rows = (page: Page) => grid(page).locator("tbody a").allInnerTexts();
      await grid(page).waitFor();
      await settled(page);
      const header = grid(page).getByRole("columnheader", { name: by }).getByRole("button");
      await header.press("Enter");
      if (!page.url().includes("desc=1")) await header.press("Enter");
      await expect.poll(() => page.url(), { timeout: 60_000 }).toContain("desc=1");
      const text = (await rows(page)).at(-1) ?? "";
      await page.getByRole("textbox", { name: `Search ${what}`, exact: true }).fill(text);
      await expect.poll(() => new URL(page.url()).searchParams.get(`${id}q`), { timeout: 60_000 }).toBe(text);
      const found = await rows(page);
      expect(found).toContain(text);
      const other = await shown.open(page.url().slice(shown.client.url.length));
      await expect.poll(() => rows(other), { timeout: 60_000 }).toEqual(found);
    },
  );

  test("a held claim says which pod holds it, on which node", async () => {
    const page = await shown.open("/claims?q=data-web-0");
    const row = page.getByRole("row", { name: /data-web-0/ });
    await row.getByRole("link", { name: "web-0", exact: true }).waitFor();
    await row.getByRole("link", { name: "node-1" }).waitFor();
    await row
      .locator("[data-label=Deleted]")
      .getByText(/ ago|^now/)
      .first()
      .waitFor();
  });

  test("a set says which claims a scale-down takes along", async () => {
    const page = await shown.open("/claims?tab=sets");
    await page.getByText("To 2: data-web-2 goes.").waitFor();
    await page.getByText("data-web-0 and data-web-1 and data-web-2 stay.").waitFor();
    await page.getByText("DeleteOnScaledownOnly, chosen on the set").waitFor();
    await page.getByRole("spinbutton", { name: "Replicas of shop/web after a scale-down" }).fill("1");
    await page.getByText("To 1: data-web-2 goes. data-web-1 stays. It has no pod that").waitFor();
  });

  test("an evacuation shows the step that it is in, and what it waits for", async () => {
    const page = await shown.open("/satellites");
    await page.getByText("Waiting on remaining resources and snapshots: 2 resources").first().waitFor();
    await page.locator("[aria-current=step]", { hasText: "Wait until empty" }).waitFor();
    await page.getByRole("row", { name: "pvc-1 2 data-db-0" }).waitFor();
    await page.getByText("linstor resource list --nodes node-2").waitFor();
    await page.getByRole("button", { name: "Retain the data", disabled: false }).waitFor();
  });

  test("an evacuation that waits for a slot is shown, and only a Machine that is deleted is said to wait", async () => {
    const page = await shown.open("/satellites");
    const queued = page.getByRole("region", { name: "Evacuation of node-3" });
    await queued.getByText("Waiting for a free evacuation slot.").waitFor();
    await queued.getByText("The Machine machine-3 waits until Holdfast removes its hooks.").waitFor();
    await settled(page);
    expect(await page.getByText("The Machine machine-2").count()).toBe(0);
  });

  test("the Machine of an evacuation is linked, with those of our hooks that are left on it", async () => {
    const metadata = { namespace: "default", name: "machine-3", annotations: { [preTerminateHook]: "" } };
    const { apiVersion, kind } = Machine;
    await defineMachines(cluster);
    await cluster.add([{ apiVersion, kind, metadata, spec: { clusterName: "a" } }]);
    const page = await shown.open("/satellites");
    const queued = page.getByRole("region", { name: "Evacuation of node-3" });
    await queued.getByText("Of Holdfast's hooks it has pre-terminate.").waitFor();
    await queued.getByRole("link", { name: "default/machine-3" }).click();
    await page.getByRole("heading", { name: /machine-3/, level: 1 }).waitFor();
    await cluster.admin.delete(Machine, "default", "machine-3");
  });

  test("the page of satellites follows the Nodes by one watch, however many satellites leave", async () => {
    const watched: string[] = [];
    const page = await shown.open("/");
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/watch") watched.push(...searchParams.getAll("path"));
    });
    await page.getByRole("navigation").getByRole("link", { name: "Satellites", exact: true }).click();
    const nodes = () => watched.some((path) => path.startsWith("/api/v1/nodes?watch"));
    await expect.poll(nodes, { timeout: 60_000 }).toBe(true);
    expect(watched.filter((path) => path.startsWith("/api/v1/nodes?fieldSelector"))).toEqual([]);
  });

  test("a kept volume is kept longer when a person confirms it, by the command that is shown", async () => {
    const page = await shown.open("/kept?q=kept-1");
    await page.getByRole("button", { name: "Keep longer" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Keep until").fill("2040-01-31T12:00:00Z");
    await dialog.getByText("kubectl annotate pv kept-1 holdfast.dev/reclaim-at=2040-01-31T12:00:00Z").waitFor();
    await dialog.getByRole("button", { name: "Keep longer" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.locator('time[title="2040-01-31T12:00:00Z"]').waitFor();
  });

  test("the page of evictions shows counters, what is waited for, and who holds which Node", async () => {
    const page = await shown.open("/eviction");
    await page.getByText("Evictions may begin at any time. Of each group, at most 1 may be out at a time.").waitFor();
    const row = (name: RegExp) => page.getByRole("row", { name });
    const waiting = row(/NovaComputeNode node-1/);
    await waiting.getByText("Dependency", { exact: true }).waitFor();
    await waiting.getByText(/a person has to agree/).waitFor();
    const leaving = row(/NovaComputeNode node-2/);
    await leaving.getByText(/^Evicting migrated: 3, migratable: 0, pending: 2, .* unhandleable: 2/).waitFor();
    await leaving.getByText(/Servers are being moved\./).waitFor();
    await leaving.getByText("Host is down").waitFor();
    await leaving.getByText(/^\d+ min/).waitFor();
    const stuck = page.getByRole("grid", { name: "servers that need a person" });
    for (const [id, fault] of [
      ["5c1d", /^It is in ERROR\. Repair it/],
      ["9f2e", /^It is in RESCUE\./],
    ] as const) {
      const server = stuck.getByRole("row", { name: new RegExp(`^${id} `) });
      await server.getByText(fault).waitFor();
      await server.getByRole("link", { name: "yaook/node-2" }).waitFor();
    }
    const held = page.getByRole("grid", { name: "Nodes", exact: true }).getByRole("row", { name: /node-2/ });
    // By the field manager of the program that made the Node, and not before it was made.
    await held.getByText(/^True, set( by [-.\w]+)? (now|\d+ \w+ ago) \(20[-\dT:]+Z\) or earlier$/).waitFor();
    await held.getByRole("link", { name: "NovaComputeNode" }).waitFor();
    await held
      .getByText(
        /^forgotten: no resource of this Node has this lock, set( by [-.\w]+)? (now|\d+ \w+ ago) .* or earlier$/,
      )
      .waitFor();
  });

  test("the page of evictions says in which windows evictions begin, as soon as that is changed", async () => {
    const page = await shown.open("/eviction");
    const set = (EVICTION_WINDOW: string) =>
      cluster.admin.patch(ConfigMap, "holdfast", "holdfast-eviction", "merge", { data: { EVICTION_WINDOW } });
    await set("0 22 * * *");
    await page.getByText('Evictions begin in windows that open at "0 22 * * *" (cron, UTC) for 4h.').waitFor();
    await set("");
    await page.getByText("Evictions may begin at any time.").waitFor();
  });

  test("the page of an object shows what holds it, each rule's word, its conditions, Events and YAML", async () => {
    const page = await shown.open("/object/PersistentVolumeClaim/shop/data-web-0");
    await page.getByText("Being deleted since").waitFor();
    const because = "Claim shop/data-web-0 is kept, because pod web-0 on node-1 uses it.";
    await page.getByText("pvc-protection/release: held", { exact: false }).first().waitFor();
    expect(await page.getByText(because).count()).toBeGreaterThanOrEqual(2);
    await page.getByText("Deletion asked for").waitFor();
    await page.getByText("holdfast explain persistentvolumeclaim/data-web-0 -n shop", { exact: true }).waitFor();
    await page.getByRole("button", { name: "The object as YAML" }).click();
    await page.getByText(/deletionTimestamp: /).waitFor();
    await page.goto(`${shown.client.url}/object/Volume/_/pending`);
    await page.getByText("SaltUnreachable").waitFor();
    await page.getByText("Salt is away.").waitFor();
    await page.getByText("holdfast explain volume.storage.metalk8s.scality.com/pending", { exact: true }).waitFor();
    await page.goto(`${shown.client.url}/object/Volume/_/none`);
    await page.getByText("This object does not exist").waitFor();
  });

  test("an eviction is approved, and aborted again", async () => {
    const page = await shown.open("/eviction");
    const row = page.getByRole("row", { name: /NovaComputeNode node-1/ });
    for (const label of ["Approve", "Abort"]) {
      await row.getByRole("button", { name: label }).click();
      await page.getByRole("dialog").getByRole("button", { name: label }).click();
      await page.getByRole("dialog").waitFor({ state: "hidden" });
    }
    await row.getByRole("button", { name: "Approve" }).waitFor();
  });

  test.each(actions)(
    "%s: each action asks once, axe finds no violation at 360 px, and its command does the same: %j",
    async (path, labels) => {
      const page = await shown.open(path, { reducedMotion: "reduce", viewport: { width: 360, height: 740 } });
      let sent: { readonly method: string; readonly patch: object } | undefined;
      await page.route("**/cluster/**", async (route) => {
        const method = route.request().method();
        if (!["PATCH", "DELETE"].includes(method)) return route.continue();
        sent = { method, patch: route.request().postDataJSON() };
        return route.fulfill({ status: 409, json: { message: `Refused: ${method}.` } });
      });
      for (const label of labels) {
        await page.getByRole("button", { name: label, exact: true, disabled: false }).click();
        const dialog = page.getByRole("dialog", { name: `${label}?` });
        const read = () => dialog.getByRole("region", { name: "Command" }).innerText();
        let command = await read();
        expect(command).toMatch(/^kubectl (annotate|delete|patch) /);
        expect(await violationsInBothThemes(page, "[role=dialog]"), label).toEqual([]);
        expect(await dialog.evaluate((one) => one.scrollWidth), label).toBeLessThanOrEqual(360);
        await dialog.getByRole("button", { name: label, exact: true }).click();
        await dialog.getByText(/^Refused: (PATCH|DELETE)\./).waitFor();
        // A time in it may have moved on.
        command = await read();
        if (sent?.method === "DELETE") expect(cluster.kubectl?.(command) ?? "deleted").toContain("deleted");
        else {
          const changes = changesIn(sent?.patch ?? {});
          expect(changes.length, command).toBe(1);
          const after = cluster.kubectl ? JSON.parse(cluster.kubectl(`${command} --output json`)) : undefined;
          for (const [path, value] of after ? changes : []) expect(fieldOf(after, path), command).toBe(value);
        }
        await dialog.getByRole("button", { name: "Cancel" }).click();
      }
    },
  );

  test("each step of the wizard passes axe, and what the API server refuses stands beside the action", async () => {
    const page = await shown.open("/volumes?create=1", { reducedMotion: "reduce" });
    const dialog = page.getByRole("dialog");
    const next = async () => {
      expect(await violationsInBothThemes(page, "[role=dialog]")).toEqual([]);
      await dialog.getByRole("button", { name: "Next", exact: true }).click();
    };
    await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("bound");
    await dialog.getByRole("combobox", { name: "Node" }).selectOption("node-1");
    await next();
    await next();
    await dialog.getByRole("combobox", { name: "StorageClass" }).selectOption("metalk8s");
    await next();
    await dialog.getByRole("button", { name: "Create the Volume" }).click();
    await dialog.getByText('volumes.storage.metalk8s.scality.com "bound" already exists').waitFor();
    expect(await violationsInBothThemes(page, "[role=dialog]")).toEqual([]);
    // Without the right to it, taken away while the dialog is open.
    await page.goto(`${shown.client.url}/kept?q=kept-2`);
    await page.getByRole("button", { name: "Offer", disabled: false }).click();
    shown.client.token = cluster.tokens.reader;
    await dialog.getByRole("button", { name: "Offer" }).click();
    await dialog.getByText('persistentvolumes "kept-2" is forbidden: User "reader" cannot patch').waitFor();
  });

  test("the wizard says beside a field what its schema refuses, and creates many Volumes by a pattern", async () => {
    const page = await shown.open("/volumes?create=1&q=many");
    const dialog = page.getByRole("dialog");
    const next = dialog.getByRole("button", { name: "Next", exact: true });
    await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("many-{n}");
    await dialog.getByRole("spinbutton", { name: "How many" }).fill("3");
    await dialog.getByRole("combobox", { name: "Node" }).selectOption("node-1");
    await next.click();
    await dialog.getByRole("textbox", { name: "Size", exact: true }).fill("much");
    const [problem] = problemsOf({ nodeName: "a", storageClassName: "a", sparseLoopDevice: { size: "much" } });
    await dialog.getByText(problem?.message ?? "").waitFor();
    expect(await next.isDisabled()).toBe(true);
    await dialog.getByRole("textbox", { name: "Size", exact: true }).fill("2Gi");
    await next.click();
    await dialog.getByRole("combobox", { name: "StorageClass" }).selectOption("hasty");
    await dialog.getByText("This class does not wait for the first consumer").waitFor();
    await dialog.getByRole("combobox", { name: "StorageClass" }).selectOption("metalk8s");
    await dialog.getByRole("radio", { name: /^Block/ }).check();
    await dialog.getByLabel("Labels of the PersistentVolume").fill("disk=slow");
    await next.click();
    const command = await dialog.getByRole("region", { name: "Command" }).innerText();
    await dialog.getByRole("button", { name: "Create 3 Volumes" }).click();
    await dialog.waitFor({ state: "hidden" });
    const names = page.locator("td[data-label=Name]");
    await expect.poll(() => names.allInnerTexts(), { timeout: 60_000 }).toEqual(["many-1", "many-2", "many-3"]);
    for (const name of ["many-1", "many-2", "many-3"]) {
      const made = await cluster.admin.get<KubernetesObject & { spec: object }>(Volume, undefined, name);
      const template = { metadata: { labels: { disk: "slow" } } };
      const spec = { nodeName: "node-1", storageClassName: "metalk8s", mode: "Block", template };
      expect(made?.spec).toMatchObject({ ...spec, sparseLoopDevice: { size: "2Gi" } });
      expect(command).toContain(`name: ${name}\n`);
    }
  });

  test.each([
    ["Device", { Device: "/dev/sdb" }, { rawBlockDevice: { devicePath: "/dev/sdb" } }],
    [
      "Logical volume",
      { "Volume group": "vg-data", Size: "3Gi" },
      { lvmLogicalVolume: { vgName: "vg-data", size: "3Gi" } },
    ],
  ] as const)("the wizard makes a Volume of the type %s", async (type, fields, storage) => {
    const name = `of-type-${type.split(" ")[0]?.toLowerCase()}`;
    const page = await shown.open(`/volumes?create=1&q=${name}`, { reducedMotion: "reduce" });
    const dialog = page.getByRole("dialog");
    const next = dialog.getByRole("button", { name: "Next", exact: true });
    await dialog.getByRole("textbox", { name: "Name", exact: true }).fill(name);
    await dialog.getByRole("combobox", { name: "Node" }).selectOption("node-1");
    await next.click();
    await dialog.getByRole("radio", { name: type, exact: true }).check();
    expect(await next.isDisabled(), "before its fields are filled in").toBe(true);
    for (const [label, value] of Object.entries(fields))
      await dialog.getByRole("textbox", { name: label, exact: true }).fill(value);
    expect(await violationsInBothThemes(page, "[role=dialog]")).toEqual([]);
    await next.click();
    await dialog.getByRole("combobox", { name: "StorageClass" }).selectOption("metalk8s");
    await next.click();
    await dialog.getByRole("button", { name: "Create the Volume" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page
      .getByRole("row", { name })
      .getByText(String(Object.values(fields)[0]))
      .waitFor();
    const made = await cluster.admin.get<KubernetesObject & { spec: object }>(Volume, undefined, name);
    const common = { nodeName: "node-1", storageClassName: "metalk8s", mode: "Filesystem" };
    expect(made?.spec).toEqual({ ...common, ...storage });
    await cluster.admin.delete(Volume, undefined, name);
  });

  test("an open list follows a Volume from Unknown to Terminating", async () => {
    const page = await shown.open("/volumes?q=followed");
    await page.getByText("No Volumes match").waitFor();
    const states = await noteStates(page, "followed");
    const row = page.getByRole("row", { name: /^followed / });
    await cluster.add([objects.volume("followed")]);
    await row.getByText("Unknown", { exact: true }).waitFor();
    for (const phase of ["Pending", "Available", "Terminating"] as const) {
      const { status } = objects.volume("followed", phase);
      await cluster.admin.patch(Volume, undefined, "followed", "merge", { status }, { subresource: "status" });
      await row.getByText(phase, { exact: true }).waitFor();
    }
    expect((await states()).split("\n")).toEqual(["Unknown", "Pending", "Available", "Terminating"]);
    await cluster.admin.delete(Volume, undefined, "followed");
    await row.waitFor({ state: "hidden" });
  });

  test("the role in the documents is enough to read every page, and without it each page says so", async () => {
    const refused = /cannot be shown|Not all of it can be shown|forbidden/;
    for (const path of [...paths, "/object/Volume/_/bound", "/object/pvc/shop/data-web-0"]) {
      for (const token of [cluster.tokens.stranger, cluster.tokens.reader]) {
        shown.client.token = token;
        const page = await shown.open(path);
        await settled(page);
        if (token === cluster.tokens.stranger) await page.getByText(refused).first().waitFor();
        else expect(await page.getByText(refused).count(), path).toBe(0);
        await page.context().close();
      }
    }
  });

  test("a user who may read only claims and sets sees what is not known, and never that all is well", async () => {
    const rules = [
      { apiGroups: ["", "apps"], resources: ["persistentvolumeclaims", "statefulsets"], verbs: ["list", "watch"] },
    ];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "narrow" };
    const account = { kind: "ServiceAccount", namespace: "default", name: "narrow" };
    await cluster.add([
      { apiVersion: "v1", kind: account.kind, metadata: { namespace: account.namespace, name: account.name } },
      { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "narrow" }, rules },
      {
        ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding", metadata: { name: "narrow" } },
        ...{ roleRef, subjects: [account] },
      },
      { ...objects.statefulSet("alone", "Delete"), metadata: { name: "alone", namespace: "shop" } },
    ]);
    shown.client.token = await tokenOf(cluster.admin, account.namespace, account.name);
    for (const [path, words] of [
      ["/", "It is not known which are installed."],
      ["/object/pvc/shop/data-web-1", "Events cannot be shown"],
      ["/claims?q=data-web-0", "not known"],
      ["/claims?tab=sets&q=alone", "not known"],
    ] as const) {
      const page = await shown.open(path);
      await settled(page);
      await page
        .getByText(/cannot list/)
        .first()
        .waitFor();
      await page.getByText(words).first().waitFor();
      const untrue = /at rest|No function is|None: every|No sweep|leaves this set alone/;
      expect(await page.getByText(untrue).allInnerTexts(), path).toEqual([]);
      await page.context().close();
    }
    await cluster.admin.delete(StatefulSet, "shop", "alone");
  });

  test("who may only read finds each action disabled, with the reason, and it is never tried", async () => {
    shown.client.token = cluster.tokens.reader;
    const page = await shown.open("/volumes?q=deletable");
    const writes: string[] = [];
    page.on("request", (request) => {
      if (!["GET", "HEAD"].includes(request.method()) && !request.url().includes("accessreview"))
        writes.push(request.url());
    });
    await page.getByRole("button", { name: "Create Volumes", disabled: true }).waitFor();
    for (const [path, labels] of actions) {
      await page.goto(shown.client.url + path);
      for (const label of labels) {
        const button = page.getByRole("button", { name: label, exact: true, disabled: true });
        await waitForTooltip(page, button, /You may not (delete|patch) /);
        await button.click({ force: true });
        expect(await page.getByRole("dialog").count(), label).toBe(0);
      }
    }
    await page.goto(`${shown.client.url}/volumes?create=1`);
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/^You may not create volumes/).waitFor();
    await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("mine");
    await dialog.getByRole("combobox", { name: "Node" }).selectOption("node-1");
    for (let step = 0; step < 2; step++) await dialog.getByRole("button", { name: "Next", exact: true }).click();
    await dialog.getByRole("combobox", { name: "StorageClass" }).selectOption("metalk8s");
    await dialog.getByRole("button", { name: "Next", exact: true }).click();
    await dialog.getByRole("button", { name: "Create the Volume", disabled: true }).waitFor();
    expect(writes).toEqual([]);
  });

  test("each branch of the decision tree: a Volume may be deleted, or the page says why not", async () => {
    const page = await shown.open("/volumes");
    for (const [name, reason] of [
      ["unknown", "No function has looked at the Volume yet"],
      ["pending", "The storage is being made"],
      ["terminating", "The Volume is being deleted already"],
      ["bound", "bound to the claim shop/data-web-1: delete that claim first"],
      ["binding", "Its PersistentVolume is Pending"],
      ["available", undefined],
      ["released", undefined],
      ["pv-failed", undefined],
      ["failed", undefined],
      ["deletable", undefined],
    ] as const) {
      const row = page.getByRole("row", { name: new RegExp(`^${name} `) });
      if (reason === undefined) {
        await row.getByRole("button", { name: "Delete", disabled: false }).click();
        const command = `kubectl delete volumes.storage.metalk8s.scality.com ${name}`;
        await page.getByRole("dialog").getByText(command, { exact: true }).waitFor();
        await page.keyboard.press("Escape");
      } else {
        await waitForTooltip(page, row.getByRole("button", { name: "Delete" }), new RegExp(reason));
      }
    }
    await page.getByRole("link", { name: "bound", exact: true }).click();
    await page.getByRole("button", { name: "Delete", disabled: true }).waitFor();
  });

  test("keyboard alone reaches the content, a page, and an action, and leaves it", async () => {
    const page = await shown.open("/volumes?q=deletable");
    await page.getByRole("row", { name: /deletable/ }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await tabTo(page, page.getByRole("row", { name: /deletable/ }).getByRole("button", { name: "Delete" }));
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  test("on a phone, the navigation is shown when it is asked for, leads to a page, and makes room for it", async () => {
    const page = await shown.open("/", { reducedMotion: "reduce", viewport: { width: 360, height: 740 } });
    const toggle = page.getByRole("button", { name: "Navigation" });
    const link = page.getByRole("link", { name: "Kept volumes", exact: true });
    await expect.poll(() => toggle.getAttribute("aria-expanded")).toBe("false");
    await toggle.click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("navigation").and(page.getByLabel("Pages")).waitFor();
    await expect.poll(async () => (await link.last().boundingBox())?.x, { timeout: 30_000 }).toBeGreaterThanOrEqual(0);
    await link.last().click();
    await page.getByRole("heading", { name: "Kept volumes", level: 1 }).waitFor();
    await expect.poll(() => toggle.getAttribute("aria-expanded")).toBe("false");
  });

  test("a Volume is deleted by keyboard alone, from the list through its dialog", async () => {
    await cluster.add([objects.volume("unwanted", "Available")]);
    const page = await shown.open("/volumes?q=unwanted");
    const row = page.getByRole("row", { name: /unwanted/ });
    await row.getByRole("button", { name: "Delete", disabled: false }).waitFor();
    await tabTo(page, row.getByRole("button", { name: "Delete" }));
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Delete?" });
    await dialog.waitFor();
    await tabTo(page, dialog.getByRole("button", { name: "Delete", exact: true }));
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "hidden" });
    await expect.poll(() => cluster.admin.get(Volume, undefined, "unwanted"), { timeout: 60_000 }).toBeUndefined();
  });
});
