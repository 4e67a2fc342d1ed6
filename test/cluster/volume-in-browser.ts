import { expect, onTestFinished } from "vitest";
import { buildConsole } from "../../console/build.mjs";
import { serveLocally } from "../../functions/platform/lib/console/serve-locally.ts";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import { createLog } from "../../shared/log.ts";
import { noteStates, openBrowser } from "../console/browser.ts";
import type { Cluster } from "../harness/cluster.ts";
import { createClass, createNode, minion, persistentVolumeOf, volumeOf } from "../scenarios/volume/helpers.ts";

/** Creates a Volume in the console on a kubeconfig, follows it until it is Available, and deletes it there. */
export async function volumeInBrowser(world: Cluster, kubeconfig: string): Promise<void> {
  await createNode(world);
  const storageClass = await createClass(world);
  const client = temporaryFolder("console-client").path;
  await buildConsole(client);
  const log = createLog("error");
  const transport = kubeconfigTransport(kubeconfig);
  const served = await serveLocally({ transport, client, log });
  onTestFinished(served.close);
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  // The ends of Salt's jobs are found by the sweep.
  const ticks = setInterval(() => void world.sweep().catch(() => {}), 2_000);
  onTestFinished(() => clearInterval(ticks));

  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(served.address());
  await page.getByRole("navigation").getByRole("link", { name: "Volumes", exact: true }).click();
  await page.getByRole("button", { name: "Create Volumes" }).click();
  const dialog = page.getByRole("dialog");
  const next = () => dialog.getByRole("button", { name: "Next", exact: true }).click();
  const name = `browser-${world.namespace}`;
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill(name);
  await dialog.getByRole("combobox", { name: "Node" }).selectOption(minion);
  await next();
  await dialog.getByRole("textbox", { name: "Size", exact: true }).fill("16Mi");
  await next();
  await dialog.getByRole("combobox", { name: "StorageClass" }).selectOption(storageClass);
  await next();
  const states = await noteStates(page, name);
  await dialog.getByRole("button", { name: "Create the Volume" }).click();
  await dialog.waitFor({ state: "hidden" });

  const row = page.getByRole("row", { name: new RegExp(`^${name}`) });
  await row.getByText("Available").waitFor();
  expect(await states()).toMatch(/Pending[\s\S]*Job PrepareVolume[\s\S]*Available/);
  const volume = await volumeOf(world, name);
  const made = await persistentVolumeOf(world, name);
  expect(made?.spec).toMatchObject({ local: { path: `/dev/disk/by-uuid/${volume?.metadata.uid}` } });

  await row.getByRole("button", { name: "Delete", disabled: false }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  // The page may show Terminating for too short a time to be seen: what counts is that nothing is left, and no row.
  const left = async () => [await volumeOf(world, name), await persistentVolumeOf(world, name)];
  await expect.poll(left, { timeout: 120_000, interval: 500 }).toEqual([undefined, undefined]);
  await row.waitFor({ state: "detached" });
}
