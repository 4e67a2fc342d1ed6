import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { type Console, openConsole, settled, violationsOf } from "./browser.ts";
import { hasBrowser } from "./browser-path.ts";
import { type StillCluster, stillCluster } from "./cluster.ts";
import * as objects from "./objects.ts";

/** Set, the pictures are taken again; with `-u`, what they show is what is to be seen from then on. */
const takes = process.env.HOLDFAST_SCREENSHOTS === "1";
const folder = join(import.meta.dirname, "../../docs/console");

/** What happens on the pictures: a small shop with a volume in each state. */
async function populate({ add, admin }: StillCluster): Promise<void> {
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
  await objects.writeDown(admin, LinstorSatellite, { name: "worker-2" }, "holdfast.dev/satellite.await-empty", waiting);
  const begun = { begun: new Date().toISOString(), before };
  await objects.writeDown(admin, LinstorSatellite, { name: "worker-2" }, "holdfast.dev/evacuation", begun);
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
  const time = /(in )?\b\d+ (second|minute|hour|day)s?( ago)?( \([-\dT:.]+Z\))?/g;
  // Which functions there are is said elsewhere.
  const [shown = ""] = (await part.ariaSnapshot()).split(/^.*heading "Functions and sources"/m);
  const named = shown
    .trimEnd()
    .replace(time, "some time")
    .replace(/[\w-]{36}/g, "a uid");
  return withoutScrolledRegion(`${named}\n`);
}

describe.skipIf(!hasBrowser)("the pictures in the documents", () => {
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

  test.each<[name: string, path: string, open?: (page: Page) => Promise<void>]>([
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
  ])("%s shows what it shows in the documents, and axe finds no violation", async (name, path, open) => {
    const page = await shown.open(path, { viewport: { width: 1120, height: 750 }, reducedMotion: "reduce" });
    await settled(page);
    await page
      .getByText(/database-0|worker-2/)
      .first()
      .waitFor();
    await open?.(page);
    expect(await violationsOf(page)).toEqual([]);
    if (takes) {
      await page.screenshot({ path: join(folder, `${name}.png`) });
    }
    await expect(await structureOf(page)).toMatchFileSnapshot(`./structure/${name}.yaml`);
    await page.context().close();
  });
});
