import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import { PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Console, openConsole } from "./browser.ts";
import { hasBrowser } from "./browser-path.ts";
import { type StillCluster, stillCluster } from "./cluster.ts";
import { claim, namespace, volume } from "./objects.ts";

describe.skipIf(!hasBrowser)("a connection", () => {
  let cluster: StillCluster;
  let shown: Console;
  beforeAll(async () => {
    cluster = await stillCluster();
    await cluster.add([namespace("shop"), volume("first", "Available")]);
    shown = await openConsole(cluster, cluster.tokens.admin);
  });
  afterAll(async () => {
    await shown?.close();
    await cluster?.close();
  });
  const create = (name: string) => cluster.admin.create(Volume, volume(name) as unknown as KubernetesObject);

  test("changes come by one stream for all kinds of a page, created and deleted", async () => {
    const page = await shown.open("/volumes");
    await page.getByRole("row", { name: /first/ }).waitFor();
    await create("live");
    await page.getByRole("row", { name: /live/ }).waitFor();
    await cluster.admin.delete(Volume, undefined, "live");
    await page.getByRole("row", { name: /live/ }).waitFor({ state: "detached" });
  });

  test("a stream that is cut is resumed, and misses nothing", async () => {
    const page = await shown.open("/volumes");
    await page.getByRole("row", { name: /first/ }).waitFor();
    const before = shown.client.streams;
    shown.client.cut();
    await create("while-cut");
    await page.getByRole("row", { name: /while-cut/ }).waitFor();
    expect(shown.client.streams).toBeGreaterThan(before);
  });

  test("a version that is too old is listed again", async () => {
    const page = await shown.open("/volumes");
    await page.getByRole("row", { name: /first/ }).waitFor();
    shown.client.isAway = true;
    shown.client.cut();
    await create("while-gone");
    await cluster.compact();
    await page.getByText(/Reconnecting: .*volumes/).waitFor();
    shown.client.isAway = false;
    await page.getByRole("row", { name: /while-gone/ }).waitFor();
    await page.getByText("Reconnecting").waitFor({ state: "detached" });
  });

  test("an API server that was away from the beginning is shown when it comes", async () => {
    shown.client.isAway = true;
    const page = await shown.open("/volumes");
    await page.getByLabel("Volumes are being read").waitFor();
    shown.client.isAway = false;
    await page.getByRole("row", { name: /first/ }).waitFor();
  });

  test("5,000 claims are shown page by page, found and scrolled without a pause, and shared", async () => {
    const createClaim = (index: number) => {
      const { status: _status, ...object } = claim(`many-${index}`, {}, {});
      return cluster.admin.create(PersistentVolumeClaim, object as unknown as KubernetesObject);
    };
    // So many at a time that none waits for its answer for as long as the client does.
    for (let first = 0; first < 5_000; first += 100)
      await Promise.all(Array.from({ length: 100 }, (_, index) => createClaim(first + index)));
    const page = await shown.open("/claims?q=many&per=100&page=3");
    await page.getByRole("link", { name: "shop/many-200", exact: true }).waitFor();
    expect(await page.getByRole("row").count()).toBe(101);
    const session = await page.context().newCDPSession(page);
    // What the page's thread has computed: what other programs do meanwhile does not count.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const computed = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
    };
    // Seconds. Where all rows are rendered, it takes tens of them.
    const shows = async (name: string, act: () => Promise<void>) => {
      const before = await computed();
      await act();
      await page.getByRole("link", { name: `shop/${name}`, exact: true }).waitFor();
      expect((await computed()) - before, name).toBeLessThan(0.5);
    };
    await shows("many-300", () => page.getByRole("button", { name: "Go to next page" }).click());
    await shows("many-4999", () => page.getByRole("button", { name: "Name", exact: true }).click());
    await shows("many-4321", () => page.getByRole("textbox", { name: "Search claims" }).fill("many-4321"));
    expect(page.url()).toContain("q=many-4321");

    await page.goto(`${shown.client.url}/claims?q=many&per=500`);
    await page.getByRole("link", { name: "shop/many-499", exact: true }).waitFor();
    await page.getByRole("grid", { name: "claims" }).hover();
    const before = await computed();
    const steps = 50;
    for (let step = 0; step < steps; step++) {
      await page.mouse.wheel(0, 400);
      await page.evaluate("new Promise(requestAnimationFrame)");
    }
    const perStep = (1000 * ((await computed()) - before)) / steps;
    expect(await page.evaluate("document.querySelector('main').scrollTop")).toBeGreaterThan(5_000);
    expect(perStep).toBeGreaterThan(0);
    // Milliseconds: what is longer, a person sees as a pause.
    expect(perStep).toBeLessThan(100);
  });
});
