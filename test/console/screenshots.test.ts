import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copiesKey } from "../../functions/satellite/lib/copies-note.ts";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import { type Console, openConsole, settled, violationsOf } from "./browser.ts";
import { hasBrowser } from "./browser-path.ts";
import { type StillCluster, stillCluster } from "./cluster.ts";
import * as objects from "./objects.ts";

/** Set, the pictures are taken again; with `-u`, what they show is what is to be seen from then on. */
const takes = process.env.HOLDFAST_SCREENSHOTS === "1";
const folder = join(import.meta.dirname, "../../docs/console");

const size = { width: 1120, height: 750 };

/** What happens on the first pictures: a small shop with a volume in each state. */
async function addStorage({ add, admin }: StillCluster): Promise<void> {
  const on = (nodeName: string, size: string, one: ReturnType<typeof objects.volume>) => ({
    ...one,
    spec: { ...one.spec, nodeName, sparseLoopDevice: { size } },
  });
  const noRoom = "Salt job 'PrepareVolume' failed with: ERROR: 38 GiB are free on worker-1, and 50 GiB are needed";
  await add([
    objects.namespace("shop"),
    objects.node("worker-0"),
    objects.node("worker-1"),
    objects.storageClass("fast", "Immediate"),
    objects.storageClass("metalk8s"),
    on("worker-0", "20Gi", objects.volume("database-0", "Available")),
    objects.persistentVolume("database-0", "Bound", "data-database-0"),
    on("worker-1", "20Gi", objects.volume("database-1", "Available")),
    objects.persistentVolume("database-1", "Available"),
    on("worker-1", "50Gi", objects.volume("logs-0", "Failed", noRoom)),
    on("worker-0", "10Gi", objects.volume("metrics-0", "Pending", "", "PrepareVolume/20260101120000000000")),
    objects.keptVolume("kept-1"),
    objects.linstorVolume("data-cart-0", "pvc-7c1e"),
    objects.satellite("worker-0"),
    objects.satellite("worker-2", {
      reason: "InProgress",
      message: "Waiting on remaining resources and snapshots: 2 resources are left on the node.",
    }),
    objects.linstorCluster,
  ]);
  const kept = {
    ...objects.keptNote("kept-1", "kept"),
    because: "Claim shop/cart is gone: its volume is kept for 7d.",
  };
  await objects.writeDown(admin, PersistentVolume, { name: "kept-1" }, "holdfast.dev/undelete.note", kept);
  await admin.delete(LinstorSatellite, undefined, "worker-2");
  const waiting = { step: "waiting", because: "Two resources are left on worker-2." };
  const before = { "pvc-7c1e": 2 };
  const copies = JSON.stringify({
    "pvc-7c1e": { "worker-0": "SyncTarget", "worker-1": "UpToDate", "worker-2": "UpToDate" },
  });
  await objects.writeDown(
    admin,
    LinstorSatellite,
    { name: "worker-2" },
    "holdfast.dev/satellite.await-empty",
    waiting,
    {
      [copiesKey]: copies,
    },
  );
  const begun = { begun: new Date().toISOString(), called: new Date().toISOString(), before };
  await objects.writeDown(admin, LinstorSatellite, { name: "worker-2" }, "holdfast.dev/evacuation", begun);
}

/** A compute node that is to be cleared, and what it says of itself. */
function leaving(name: string, isAgreed: boolean, says: readonly (readonly [type: string, ...string[]])[]) {
  const lastTransitionTime = new Date(Date.now() - 20 * 60_000).toISOString();
  const conditions = says.map(([type, status, reason, message]) => ({
    ...{ type, status, reason, message, lastTransitionTime },
  }));
  return { ...objects.computeNode(name, isAgreed), status: { conditions } };
}

/** What happens on the other pictures: a claim that is held, two volumes that are kept, two hosts that leave. */
async function addDeletions({ add, admin }: StillCluster): Promise<void> {
  const kept = (name: string, claim: string) => ({
    ...objects.persistentVolume(name, "Released", claim),
    metadata: objects.keptVolume(name).metadata,
  });
  const bound = (claim: ReturnType<typeof objects.claim>, volumeName: string) => ({
    ...claim,
    spec: { ...claim.spec, volumeName },
  });
  const lock = "l2-lock.maintenance.yaook.cloud/NovaComputeNode";
  const required = "maintenance.yaook.cloud/maintenance-required-l2-agent";
  const counters = { migrated: 3, migratable: 1, pending: 0, in_progress: 2, unhandleable: 1 };
  const moving =
    "3 servers still to leave worker-2, 2 moving now. Server 0b6f: It is SUSPENDED, and cannot be moved: " +
    "`openstack server resume 0b6f` or `openstack server shelve 0b6f`.";
  const asks =
    "The state of the NovaComputeNode is DisabledAndCleared: its servers leave the host when you agree. To agree, " +
    "run `kubectl annotate novacomputenode -n yaook worker-1 holdfast.dev/approve-eviction=true`";
  await add([
    objects.namespace("shop"),
    objects.node("worker-1"),
    objects.node("worker-2", { [lock]: "" }, { [required]: "False" }),
    objects.storageClass("metalk8s"),
    ...["pvc-1c44", "pvc-2e80", "pvc-3f07"].map((volume, i) => bound(objects.claim(`data-web-${i}`), volume)),
    objects.pod("web-0", "data-web-0"),
    objects.pod("web-1", "data-web-1"),
    objects.statefulSet("web", "Delete"),
    kept("pvc-5d01", "cart"),
    kept("pvc-9a3e", "orders"),
    leaving("worker-1", false, [["Converged", "False", "Dependency", asks]]),
    leaving("worker-2", true, [
      ["Converged", "False", "InProgress", moving],
      ["Evicted", "Evicting", "Evicting", JSON.stringify({ ...counters, unhandleable_agent: false })],
    ]),
  ]);
  await admin.delete(PersistentVolumeClaim, "shop", "data-web-0");
  const held = { step: "held", because: "Claim shop/data-web-0 is kept, because pod web-0 on node-1 uses it." };
  const claim = { namespace: "shop", name: "data-web-0" };
  await objects.writeDown(admin, PersistentVolumeClaim, claim, "holdfast.dev/pvc-protection.release", held);
  for (const [name, step, of, because] of [
    ["pvc-5d01", "kept", "cart", "Claim shop/cart is gone: its volume is kept for 7d."],
    ["pvc-9a3e", "offered", "orders", "The volume is offered to the next claim shop/orders."],
  ] as const) {
    const note = objects.keptNote(of, step);
    await objects.writeDown(admin, PersistentVolume, { name }, "holdfast.dev/undelete.note", { ...note, because });
  }
}

/** Width and height of a picture of the documents, which a PNG has behind its signature. */
function sizeOf(name: string) {
  const picture = readFileSync(join(folder, `${name}.png`));
  return { width: picture.readUInt32BE(16), height: picture.readUInt32BE(20) };
}

/**
 * Takes the region away that PatternFly puts around a wizard's step when the step is higher than its window. The fonts
 * of the machine decide that, and the moment at which PatternFly measures.
 */
function withoutScrolledRegion(structure: string): string {
  return structure.replace(/^( *)- region ".* content":\n((?:\1 .*\n)*)/gm, (_, indent: string, inside: string) =>
    inside.replaceAll(new RegExp(`^${indent}  `, "gm"), indent),
  );
}

/** What stands on the page, for people and for screen readers, without what changes with the time or the machine. */
async function structureOf(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog");
  const part = (await dialog.count()) > 0 ? dialog : page.getByRole("main");
  const time = /((in )?\b\d+ (second|minute|hour|day)s?( ago)?|\bnow(?= \())( \([-\dT:.]+Z\))?/g;
  // Which functions there are is said elsewhere.
  const [shown = ""] = (await part.ariaSnapshot()).split(/^.*heading "Functions and sources"/m);
  const named = shown
    .trimEnd()
    .replace(time, "some time")
    .replace(/[\w-]{36}/g, "a uid");
  return withoutScrolledRegion(`${named}\n`);
}

type Picture = readonly [name: string, path: string, open?: (page: Page) => Promise<void>];
const storage: readonly Picture[] = [
  ["overview", "/"],
  ["volumes", "/volumes"],
  [
    "create-volume",
    "/volumes?create=1",
    async (page) => {
      const dialog = page.getByRole("dialog");
      const next = () => dialog.getByRole("button", { name: "Next", exact: true }).click();
      await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("database-2");
      await dialog.getByRole("combobox", { name: "Node" }).selectOption("worker-0");
      await next();
      await next();
      await dialog.getByRole("combobox", { name: "StorageClass" }).selectOption("fast");
      await dialog.getByText("does not wait for the first consumer").waitFor();
    },
  ],
  [
    "delete-volume",
    "/volumes",
    async (page) => {
      await page
        .getByRole("row", { name: /^database-1/ })
        .getByRole("button", { name: "Delete" })
        .click();
      await page.getByRole("dialog").waitFor();
    },
  ],
  ["satellites", "/satellites"],
];
const deletions: readonly Picture[] = [
  ["claims", "/claims"],
  ["kept", "/kept"],
  ["eviction", "/eviction"],
];

describe.skipIf(!hasBrowser).each([
  ["storage", addStorage, storage],
  ["deletions", addDeletions, deletions],
] as const)("the pictures of %s in the documents", (_, populate, pictures) => {
  let cluster: StillCluster;
  let shown: Console;
  beforeAll(async () => {
    cluster = await stillCluster();
    await populate(cluster);
    shown = await openConsole(cluster, cluster.tokens.admin);
  });
  afterAll(async () => {
    await shown?.close();
    await cluster?.close();
  });

  test.each(pictures.map((picture) => ({ picture, name: picture[0] })))(
    "$name shows what it shows in the documents, and axe finds no violation",
    async ({ picture }) => {
      const [name, path, open] = picture;
      const page = await shown.open(path, { viewport: size, reducedMotion: "reduce" });
      await settled(page);
      await page
        .getByText(/database-0|worker-2|data-web-0|pvc-5d01/)
        .first()
        .waitFor();
      await open?.(page);
      expect(await violationsOf(page)).toEqual([]);
      if (takes) {
        await page.screenshot({ path: join(folder, `${name}.png`) });
      }
      expect(sizeOf(name)).toEqual(size);
      await expect(await structureOf(page)).toMatchFileSnapshot(`./structure/${name}.yaml`);
    },
  );
});
