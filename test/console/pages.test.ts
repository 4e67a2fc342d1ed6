import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StatefulSet } from "../../shared/kubernetes/kind.ts";
import { tokenOf } from "../harness/service-account.ts";
import { type Console, openConsole, settled, tabTo, violationsOf } from "./browser.ts";
import { hasBrowser } from "./browser-path.ts";
import { type StillCluster, stillCluster } from "./cluster.ts";
import * as objects from "./objects.ts";
import { populate } from "./populate.ts";

const paths = [
  "/",
  "/volumes",
  "/claims",
  "/claims?tab=sets",
  "/kept",
  "/satellites",
  "/eviction",
  "/object/Volume/_/failed",
];

describe.skipIf(!hasBrowser)("with something on the cluster", () => {
  let cluster: StillCluster;
  let shown: Console;
  beforeAll(async () => {
    cluster = await stillCluster();
    await populate(cluster);
    shown = await openConsole(cluster.url, cluster.tokens.admin);
  });
  afterAll(async () => {
    await shown?.close();
    await cluster?.close();
  });

  // A window of 1280 px at a zoom of 200 % has 640.
  test.each(paths)(
    "%s: axe finds no violation, light and dark, and nothing hangs out at 360 and 640 px",
    async (path) => {
      const page = await shown.open(path, { colorScheme: "light", reducedMotion: "reduce" });
      await settled(page);
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Dark theme" }).click();
      await page.locator("html.pf-v6-theme-dark").waitFor();
      expect(await violationsOf(page), "dark").toEqual([]);
      for (const width of [640, 360]) {
        await page.setViewportSize({ width, height: 740 });
        expect(await page.evaluate("document.querySelector('main').scrollWidth")).toBeLessThanOrEqual(width);
      }
      await page.context().close();
      expect(shown.problems).toEqual([]);
    },
  );

  test("the overview names what has failed, what waits for a person, and what is kept", async () => {
    const page = await shown.open("/");
    const rows = page.getByRole("grid", { name: "objects that wait" });
    await rows.getByText("Not enough room").waitFor();
    await rows.getByText("SaltUnreachable").waitFor();
    await rows.getByText("due soon").waitFor();
    await rows.getByText("a person has to agree").waitFor();
    await page.context().close();
  });

  test("markup in names and messages is shown as text", async () => {
    const page = await shown.open("/object/Volume/_/failed");
    await page.getByText('Not enough room <img src=x onerror="document.title=1">').first().waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toBe("Volume failed - Holdfast");
    await page.context().close();
  });

  test("a list is filtered and sorted by its address, which follows when a person sorts it", async () => {
    const page = await shown.open("/volumes?node=node-1&state=Available&sort=Name&desc=1");
    const names = page.locator("td[data-label=Name]");
    const sorted = ["available", "binding", "bound", "deletable", "pv-failed", "released"];
    await expect.poll(() => names.allInnerTexts(), { timeout: 60_000 }).toEqual(sorted.toReversed());
    await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
    await expect.poll(() => names.allInnerTexts(), { timeout: 60_000 }).toEqual(sorted);
    expect(page.url()).not.toContain("desc=1");
    await page.context().close();
  });

  test("a held claim says which pod holds it, on which node", async () => {
    const page = await shown.open("/claims?q=data-web-0");
    const row = page.getByRole("row", { name: /data-web-0/ });
    await row.getByRole("link", { name: "web-0", exact: true }).waitFor();
    await row.getByRole("link", { name: "node-1" }).waitFor();
    await page.context().close();
  });

  test("a set says which claims a scale-down takes along", async () => {
    const page = await shown.open("/claims?tab=sets");
    await page.getByText("To 2: data-web-2 goes.").waitFor();
    await page.getByText("data-web-0 and data-web-1 and data-web-2 stay.").waitFor();
    await page.context().close();
  });

  test("an evacuation shows the step that it is in, and what it waits for", async () => {
    const page = await shown.open("/satellites");
    await page.getByText("Waiting on remaining resources and snapshots: 2 resources").first().waitFor();
    await page.locator("[aria-current=step]", { hasText: "Wait until empty" }).waitFor();
    await page.getByRole("row", { name: "pvc-1 2 data-db-0" }).waitFor();
    await page.getByText("linstor resource list --nodes node-2").waitFor();
    await page.getByRole("button", { name: "Retain the data", disabled: false }).waitFor();
    await page.context().close();
  });

  test("an evacuation that waits for a slot is shown, and only a Machine that is deleted is said to wait", async () => {
    const page = await shown.open("/satellites");
    const queued = page.getByRole("region", { name: "Evacuation of node-3" });
    await queued.getByText("Waiting for a free evacuation slot.").waitFor();
    await queued.getByText("The Machine machine-3 waits until Holdfast removes its hooks.").waitFor();
    await settled(page);
    expect(await page.getByText("The Machine machine-2").count()).toBe(0);
    await page.context().close();
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
    await page.context().close();
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
    await page.context().close();
  });

  test("the page of evictions shows counters, what is waited for, and who holds which Node", async () => {
    const page = await shown.open("/eviction");
    await page.getByText("Evictions may begin at any time. Of each group, at most 1 may be out at a time.").waitFor();
    const row = (name: RegExp) => page.getByRole("row", { name });
    const waiting = row(/NovaComputeNode node-1/);
    await waiting.getByText("Dependency", { exact: true }).waitFor();
    await waiting.getByText(/a person has to agree/).waitFor();
    const leaving = row(/NovaComputeNode node-2/);
    await leaving.getByText(/^Evicting migrated: 3, migratable: 0, pending: 2, .* unhandleable: 1/).waitFor();
    await leaving.getByText(/Servers are being moved\./).waitFor();
    await leaving.getByText("Host is down").waitFor();
    await leaving.getByText(/^\d+ min/).waitFor();
    const held = page.getByRole("grid", { name: "Nodes", exact: true }).getByRole("row", { name: /node-2/ });
    await held.getByText("True", { exact: true }).waitFor();
    await held.getByRole("link", { name: "NovaComputeNode" }).waitFor();
    await held.getByText(/^forgotten: no resource of this Node has this lock, set by /).waitFor();
    await page.context().close();
  });

  test("the page of an object shows what holds it, each rule's word, its conditions, Events and YAML", async () => {
    const page = await shown.open("/object/PersistentVolumeClaim/shop/data-web-0");
    await page.getByText("Being deleted since").waitFor();
    const because = "Claim shop/data-web-0 is kept, because pod web-0 on node-1 uses it.";
    await page.getByText("pvc-protection/release: held", { exact: false }).first().waitFor();
    expect(await page.getByText(because).count()).toBeGreaterThanOrEqual(2);
    await page.getByText("Deletion asked for").waitFor();
    await page.getByRole("button", { name: "The object as YAML" }).click();
    await page.getByText(/deletionTimestamp: /).waitFor();
    await page.goto(`${shown.client.url}/object/Volume/_/pending`);
    await page.getByText("SaltUnreachable").waitFor();
    await page.getByText("Salt is away.").waitFor();
    await page.goto(`${shown.client.url}/object/Volume/_/none`);
    await page.getByText("This object does not exist").waitFor();
    await page.context().close();
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
    await page.context().close();
  });

  test.each([
    ["/volumes?q=deletable", ["Delete"]],
    ["/kept?q=kept-2", ["Keep longer", "Keep for good", "Reclaim now", "Offer"]],
    ["/satellites", ["Retain the data"]],
    ["/eviction?q=node-2", ["Abort", "Try again"]],
  ])("%s: each action asks once, and shows its command: %j", async (path, labels) => {
    const page = await shown.open(path);
    for (const label of labels) {
      await page.getByRole("button", { name: label, exact: true, disabled: false }).click();
      const dialog = page.getByRole("dialog", { name: `${label}?` });
      await dialog
        .getByRole("region", { name: "Command" })
        .getByText(/^kubectl (annotate|delete|patch) /)
        .waitFor();
      await dialog.getByRole("button", { name: "Cancel" }).click();
    }
    await page.context().close();
  });

  test("each step of the wizard passes axe, and what the API server refuses stands beside the action", async () => {
    const page = await shown.open("/volumes?create=1", { reducedMotion: "reduce" });
    const dialog = page.getByRole("dialog");
    const next = async () => {
      expect(await violationsOf(page, "[role=dialog]")).toEqual([]);
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
    expect(await violationsOf(page, "[role=dialog]")).toEqual([]);
    // Without the right to it, taken away while the dialog is open.
    await page.goto(`${shown.client.url}/kept?q=kept-2`);
    await page.getByRole("button", { name: "Offer", disabled: false }).click();
    shown.client.token = cluster.tokens.reader;
    await dialog.getByRole("button", { name: "Offer" }).click();
    await dialog.getByText('persistentvolumes "kept-2" is forbidden: User "reader" cannot patch').waitFor();
    shown.client.token = cluster.tokens.admin;
    await page.context().close();
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
    shown.client.token = cluster.tokens.admin;
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
    shown.client.token = cluster.tokens.admin;
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
    const button = page.getByRole("row", { name: /deletable/ }).getByRole("button", { name: "Delete" });
    await page.getByRole("button", { name: "Create Volumes", disabled: true }).waitFor();
    await button.hover({ force: true });
    await page.getByRole("tooltip", { name: /You may not delete volumes/ }).waitFor();
    await button.click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(0);
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
    shown.client.token = cluster.tokens.admin;
    await page.context().close();
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
        await row.getByRole("button", { name: "Delete" }).hover({ force: true });
        await page.getByRole("tooltip", { name: new RegExp(reason) }).waitFor();
        await page.mouse.move(0, 0);
      }
    }
    await page.getByRole("link", { name: "bound", exact: true }).click();
    await page.getByRole("button", { name: "Delete", disabled: true }).waitFor();
    await page.context().close();
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
    await page.context().close();
  });
});

describe.skipIf(!hasBrowser)("with nothing on the cluster", () => {
  test.each([
    [
      false,
      [
        "Everything is at rest",
        "There are no Volumes",
        "There are no claims",
        "No volume is kept",
        "There are no satellites",
        "There are no compute nodes",
      ],
    ],
    [
      true,
      [
        "Everything is at rest",
        "Volumes are not installed",
        "There are no claims",
        "No volume is kept",
        "Satellites are not installed",
        "Compute nodes are not installed",
      ],
    ],
  ])("each page says so, and axe finds no violation (without Holdfast: %s)", async (isEmpty, sentences) => {
    const cluster = await stillCluster({ isEmpty });
    const shown = await openConsole(cluster.url, cluster.tokens.admin);
    const page = await shown.open("/", { reducedMotion: "reduce" });
    const names = ["Overview", "Volumes", "Claims and sets", "Kept volumes", "Satellites", "Eviction"];
    for (const [index, name] of names.entries()) {
      await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
      await page
        .getByText(sentences[index] as string)
        .first()
        .waitFor();
      expect(await violationsOf(page), name).toEqual([]);
    }
    expect(shown.problems).toEqual([]);
    await shown.close();
    await cluster.close();
  });
});
