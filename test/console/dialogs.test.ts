import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { namespaceLabel } from "../../functions/undelete/lib/note.ts";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import { Namespace, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Console, openConsole, violationsInBothThemes } from "./browser.ts";
import { hasBrowser } from "./browser-path.ts";
import { type StillCluster, stillCluster } from "./cluster.ts";
import * as objects from "./objects.ts";

const focused = (element: Locator) => element.evaluate((one) => one === one.ownerDocument.activeElement);

/** What a dialog puts on a page and takes off again: nothing is hidden, and the page scrolls. */
const covered = `[document.body.className, ...[...document.body.children].map((one) => one.ariaHidden)]
  .filter((one) => one && one !== "false")`;

/** Resolves when the page has shown what it knows by now. */
const nextFrame = `new Promise((shown) => requestAnimationFrame(() => setTimeout(() => shown(true), 100)))`;

/** Presses a button, and once more with the page's next task, before any timer. */
const pressTwice = (button: Locator) =>
  button.evaluate((one) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => one.click());
    port1.start();
    port2.postMessage("");
    one.click();
  });

describe.skipIf(!hasBrowser)("while a dialog is open", () => {
  let cluster: StillCluster;
  let shown: Console;
  let writes: string[];
  beforeAll(async () => {
    cluster = await stillCluster();
    await cluster.add([objects.namespace("shop"), objects.node("node-1"), objects.storageClass("metalk8s")]);
    shown = await openConsole(cluster, cluster.tokens.admin);
  });
  afterAll(async () => {
    await shown?.close();
    await cluster?.close();
  });

  /** A page that notes in {@link writes} what it sends that changes something. */
  async function open(path: string): Promise<Page> {
    const page = await shown.open(path, { reducedMotion: "reduce" });
    writes = [];
    page.on("request", (request) => {
      if (/^(POST|PATCH|DELETE)$/.test(request.method()) && !request.url().includes("accessreview"))
        writes.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    return page;
  }

  /** Opens the dialog of an action. */
  async function ask(page: Page, label: string, row: Page | Locator = page): Promise<Locator> {
    await row.getByRole("button", { name: label, exact: true, disabled: false }).click();
    const dialog = page.getByRole("dialog", { name: `${label}?` });
    await dialog.waitFor();
    return dialog;
  }

  const uidOf = async (name: string) => (await cluster.admin.get(Volume, undefined, name))?.metadata.uid;

  test.each(["Delete", "Create Volumes"])(
    "Back leads to the page before, without the dialog, and the keyboard goes on in its content: %s",
    async (label) => {
      await cluster.add([objects.volume(`left-${label[0]?.toLowerCase()}`, "Available")]);
      const page = await open("/");
      await page.getByRole("navigation").getByRole("link", { name: "Volumes", exact: true }).click();
      await page.getByRole("button", { name: label, disabled: false }).first().click();
      await page.getByRole("dialog").waitFor();
      await page.goBack();
      await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await page.evaluate(covered)).toEqual([]);
      await expect.poll(() => focused(page.locator("#content")), { timeout: 30_000 }).toBe(true);
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
      expect(writes).toEqual([]);
    },
  );

  test("Back to another address of the same page closes the dialog, and its button has the focus", async () => {
    await cluster.add([objects.volume("same-page", "Available")]);
    const page = await open("/volumes?q=same-page");
    await page.getByRole("row", { name: /^same-page/ }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Volumes", exact: true }).click();
    await expect.poll(() => new URL(page.url()).search, { timeout: 30_000 }).toBe("");
    const row = page.getByRole("row", { name: /^same-page/ });
    const dialog = await ask(page, "Delete", row);
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("?q=same-page");
    expect(await page.evaluate(covered)).toEqual([]);
    await expect.poll(() => focused(row.getByRole("button", { name: "Delete" })), { timeout: 30_000 }).toBe(true);
    expect(writes).toEqual([]);
  });

  test.each([
    ["in its list", "/volumes?q=gone", true],
    ["on its own page", "/object/Volume/_/gone", false],
  ])("an object that another user deletes is said to be gone, and nothing is sent: %s", async (_, path, isList) => {
    await cluster.add([objects.volume("gone", "Available")]);
    const page = await open(path);
    const dialog = await ask(page, "Delete");
    await cluster.admin.delete(Volume, undefined, "gone");
    await dialog.getByText("Volume gone has been deleted meanwhile.").waitFor();
    await dialog.getByRole("button", { name: "Delete", disabled: true }).waitFor();
    expect(await violationsInBothThemes(page, "[role=dialog]")).toEqual([]);

    await cluster.add([objects.volume("gone", "Available")]);
    if (isList) await page.locator("tr", { hasText: "gone" }).waitFor();
    await dialog.getByText("Volume gone has been deleted meanwhile.").waitFor();
    await dialog.getByRole("button", { name: "Delete", disabled: true }).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => focused(page.locator("#content")), { timeout: 30_000 }).toBe(true);
    expect(writes).toEqual([]);
    // What has its name now may be deleted by a dialog of its own.
    await (await ask(page, "Delete")).getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => uidOf("gone"), { timeout: 60_000 }).toBeUndefined();
  });

  /** Lets no write to a path be answered before the returned function is called. */
  async function holdAnswer(page: Page, path: string): Promise<() => Promise<void>> {
    const held = Promise.withResolvers<void>();
    await page.route(path, async (route) => {
      if (route.request().method() === "GET") return route.continue();
      await held.promise;
      await route.fulfill({ json: {} });
    });
    return async () => {
      const answered = page.waitForResponse(path);
      held.resolve();
      await (await answered).finished();
      expect(await page.evaluate(nextFrame)).toBe(true);
    };
  }

  /** Confirms the deletion of a Volume, of which the answer comes when the returned function is called. */
  async function deleteSlowly(page: Page, name: string): Promise<() => Promise<void>> {
    const answer = await holdAnswer(page, `**/volumes/${name}`);
    const dialog = await ask(page, "Delete", page.getByRole("row", { name: new RegExp(`^${name}`) }));
    await pressTwice(dialog.getByRole("button", { name: "Delete" }));
    await expect.poll(() => writes.length, { timeout: 30_000 }).toBe(1);
    return answer;
  }

  test("a dialog whose change is under way cannot be left, and goes when the answer comes", async () => {
    await cluster.add([objects.volume("slow", "Available")]);
    const page = await open("/volumes?q=slow");
    const answer = await deleteSlowly(page, "slow");
    const dialog = page.getByRole("dialog");
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.getByRole("button", { name: "Cancel" }).click({ force: true });
    expect(await page.evaluate(nextFrame)).toBe(true);
    expect(await dialog.count()).toBe(1);
    expect(writes).toHaveLength(1);
    await answer();
    await dialog.waitFor({ state: "detached" });
  });

  test.each([
    ["the same object", "late", "late"],
    ["another object", "later-1", "later-2"],
  ])("the late answer to a dialog that Back has closed closes no other one: of %s", async (_, first, second) => {
    await cluster.add([...new Set([first, second])].map((name) => objects.volume(name, "Available")));
    const page = await open(`/volumes?q=${first.slice(0, 5)}`);
    await page.getByRole("row", { name: new RegExp(`^${first}`) }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Volumes", exact: true }).click();
    await expect.poll(() => new URL(page.url()).search, { timeout: 30_000 }).toBe("");
    const answer = await deleteSlowly(page, first);
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const dialog = await ask(page, "Delete", page.getByRole("row", { name: new RegExp(`^${second}`) }));
    await answer();
    expect(await dialog.count()).toBe(1);
  });

  test("while Volumes are created, their dialog stays, and its late answer closes no later one", async () => {
    const page = await open("/");
    const link = page.getByRole("navigation").getByRole("link", { name: "Volumes", exact: true });
    const dialog = page.getByRole("dialog");
    const press = (name: string) => dialog.getByRole("button", { name, exact: true }).click();
    const begin = async () => {
      await link.click();
      await page.getByRole("button", { name: "Create Volumes", disabled: false }).click();
      await dialog.waitFor();
    };
    await begin();
    await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("created");
    await dialog.getByRole("combobox", { name: "Node" }).selectOption("node-1");
    await press("Next");
    await dialog.getByRole("radio", { name: "Sparse file", exact: true }).check();
    await dialog.getByRole("textbox", { name: "Size", exact: true }).fill("1Gi");
    await press("Next");
    await dialog.getByRole("combobox", { name: "StorageClass" }).selectOption("metalk8s");
    await press("Next");
    const answer = await holdAnswer(page, "**/v1alpha1/volumes");
    await pressTwice(dialog.getByRole("button", { name: "Create the Volume" }));
    await expect.poll(() => writes.length, { timeout: 30_000 }).toBe(1);
    await page.keyboard.press("Escape");
    await press("Close");
    await press("Cancel");
    expect(await page.evaluate(nextFrame)).toBe(true);
    expect(await dialog.count()).toBe(1);
    expect(writes).toHaveLength(1);
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await begin();
    await answer();
    expect(await dialog.count()).toBe(1);
  });

  test("an action whose row leaves the page cannot be confirmed any more", async () => {
    await cluster.add([objects.volume("moves", "Available")]);
    const page = await open("/volumes?state=Available&q=moves");
    const dialog = await ask(page, "Delete");
    const { status } = objects.volume("moves", "Failed");
    await cluster.admin.patch(Volume, undefined, "moves", "merge", { status }, { subresource: "status" });
    await dialog.getByText("The page does not show this action any more.").waitFor();
    await dialog.getByRole("button", { name: "Delete", disabled: true }).waitFor();
    expect(await uidOf("moves")).toBeDefined();
  });

  test("an action that another user makes impossible says why, and cannot be confirmed any more", async () => {
    await cluster.add([objects.volume("taken", "Available"), objects.persistentVolume("taken", "Available")]);
    const page = await open("/volumes?q=taken");
    const dialog = await ask(page, "Delete");
    const { spec, status } = objects.persistentVolume("taken", "Bound", "data");
    await cluster.admin.patch(PersistentVolume, undefined, "taken", "merge", { spec: { claimRef: spec.claimRef } });
    await cluster.admin.patch(PersistentVolume, undefined, "taken", "merge", { status }, { subresource: "status" });
    await dialog.getByText(/bound to the claim shop\/data: delete that claim first/).waitFor();
    await dialog.getByRole("button", { name: "Delete", disabled: true }).waitFor();
  });

  /** Hides from a page what happens from now on. */
  async function blind(page: Page) {
    await page.route("**/watch?*", (route) => route.abort());
    shown.client.cut();
    await page.getByText(/^Reconnecting/).waitFor();
  }

  test("a Volume that is made again, unseen, under the name of a deleted one is not deleted", async () => {
    await cluster.add([objects.volume("again", "Available")]);
    const page = await open("/volumes?q=again");
    const dialog = await ask(page, "Delete");
    await blind(page);
    await cluster.admin.delete(Volume, undefined, "again");
    await cluster.add([objects.volume("again", "Available")]);
    const uid = await uidOf("again");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText("The API server refuses this").waitFor();
    await dialog.getByText(/precondition/i).waitFor();
    expect(await uidOf("again")).toBe(uid);
    expect(writes).toHaveLength(1);
  });

  /** A volume that is kept, as undelete leaves it. */
  async function keep(name: string): Promise<void> {
    await cluster.add([objects.keptVolume(name)]);
    const note = objects.keptNote(name, "asks");
    await objects.writeDown(cluster.admin, PersistentVolume, { name }, "holdfast.dev/undelete.note", note);
  }

  test("a kept volume that is made again, unseen, under the name of a deleted one is not annotated", async () => {
    await keep("kept-9");
    const page = await open("/kept?q=kept-9");
    const dialog = await ask(page, "Offer");
    await blind(page);
    await cluster.admin.patch(PersistentVolume, undefined, "kept-9", "merge", { metadata: { finalizers: null } });
    await cluster.admin.delete(PersistentVolume, undefined, "kept-9");
    await keep("kept-9");
    await dialog.getByRole("button", { name: "Offer" }).click();
    await dialog.getByText("The API server refuses this").waitFor();
    const offered = await cluster.admin.get<KubernetesObject>(PersistentVolume, undefined, "kept-9");
    expect(offered?.metadata.annotations).not.toHaveProperty(["holdfast.dev/offer"]);
  });

  test("a volume that leaves the list of kept ones, but is there, is not said to be deleted", async () => {
    await keep("kept-6");
    const page = await open("/kept?q=kept-6");
    const dialog = await ask(page, "Offer");
    const labels = { [namespaceLabel]: null };
    await cluster.admin.patch(PersistentVolume, undefined, "kept-6", "merge", { metadata: { labels } });
    await dialog.getByText("The page does not show this action any more.").waitFor({ timeout: 30_000 });
    await dialog.getByRole("button", { name: "Offer", disabled: true }).waitFor();
  });

  test("a time that has passed since it was entered is not sent, because it would reclaim the volume", async () => {
    await keep("kept-7");
    const page = await open("/kept?q=kept-7");
    const dialog = await ask(page, "Keep longer");
    await dialog.getByLabel("Keep until").fill("2040-01-31T12:00:00Z");
    await dialog.getByText("reclaim-at=2040-01-31T12:00:00Z").waitFor();
    await page.clock.setFixedTime("2040-01-31T12:00:01Z");
    await dialog.getByRole("button", { name: "Keep longer" }).click();
    await dialog.getByText("This time is past: choose Reclaim now instead.").waitFor({ timeout: 30_000 });
    await dialog.getByRole("button", { name: "Keep longer", disabled: true }).waitFor();
    await dialog.getByLabel("Keep until").fill("2041-01-31T12:00:00Z");
    await dialog.getByRole("button", { name: "Keep longer", disabled: false }).waitFor();
    expect(writes).toEqual([]);
  });

  test("a namespace that takes the place of the one in the dialog is not named the successor", async () => {
    const name = "replaced";
    await cluster.add([objects.namespace(name), objects.keptVolume("kept-8")]);
    const note = {
      ...objects.keptNote("kept-8", "asks"),
      claim: { namespace: name, name: "data", uid: "uid-of-data" },
    };
    await objects.writeDown(cluster.admin, PersistentVolume, { name: "kept-8" }, "holdfast.dev/undelete.note", note);
    const page = await open("/kept?q=kept-8");
    const dialog = await ask(page, "Name the successor");
    const { uid } = (await cluster.admin.get(Namespace, undefined, name))?.metadata ?? {};
    await cluster.admin.delete(Namespace, undefined, name);
    // On a real control plane, what keeps it is removed by a controller, which does not run.
    const metadata = { name, uid };
    const finalized = { apiVersion: "v1", kind: "Namespace", metadata, spec: { finalizers: [] } };
    if (await cluster.admin.get(Namespace, undefined, name))
      await cluster.admin.request("PUT", `/api/v1/namespaces/${name}/finalize`, finalized);
    await expect.poll(() => cluster.admin.get(Namespace, undefined, name), { timeout: 30_000 }).toBeUndefined();
    await cluster.add([objects.namespace(name)]);
    await dialog.getByText(`Namespace ${name} has been deleted meanwhile.`).waitFor();
    await dialog.getByRole("button", { name: "Name the successor", disabled: true }).waitFor();
    expect(writes).toEqual([]);
  });
});
