import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Console, openConsole, settled, violationsInBothThemes, violationsOf } from "./browser.ts";
import { hasBrowser } from "./browser-path.ts";
import { type StillCluster, stillCluster } from "./cluster.ts";
import * as objects from "./objects.ts";
import { paths } from "./paths.ts";
import { populate } from "./populate.ts";

/** More that axe looks at. */
const others = [
  "/object/pvc/shop/data-web-0",
  "/object/PersistentVolume/_/bound",
  "/object/LinstorSatellite/_/node-2",
  "/object/NovaComputeNode/yaook/node-2",
  "/object/Volume/_/none",
  "/object/Unknown/_/none",
  "/no/such/page",
];

/** What stands in the head of the page, and partly beside the window. */
const cutOff = `[...document.querySelectorAll("header :is(a, button, .hf-user)")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.textContent)`;

describe.skipIf(!hasBrowser)("with something on the cluster", () => {
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

  // A window of 1280 px at a zoom of 200 % has 640.
  test.each([...paths, ...others])(
    "%s: axe finds no violation, light and dark, and nothing hangs out at 360 and 640 px",
    async (path) => {
      const page = await shown.open(path, { colorScheme: "light", reducedMotion: "reduce" });
      await settled(page);
      const yaml = page.getByRole("button", { name: "The object as YAML" });
      if (await yaml.count()) await yaml.click();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Dark theme" }).click();
      await page.locator("html.pf-v6-theme-dark").waitFor();
      expect(await violationsOf(page), "dark").toEqual([]);
      for (const width of [640, 360]) {
        await page.setViewportSize({ width, height: 740 });
        expect(await page.evaluate("document.querySelector('main').scrollWidth")).toBeLessThanOrEqual(width);
        expect(await page.evaluate(cutOff)).toEqual([]);
      }
      expect(shown.problems).toEqual([]);
    },
  );

  test("a page whose script does not come says so, axe finds no violation, and others can be opened", async () => {
    const page = await shown.open("/", { reducedMotion: "reduce" });
    await settled(page);
    await page.route("**/assets/kept-*.js", (route) => route.abort());
    const link = (name: string) => page.getByRole("navigation").getByRole("link", { name, exact: true });
    await link("Kept volumes").click();
    await page.getByRole("heading", { name: "This page has failed", level: 1 }).waitFor();
    expect(await page.title()).toBe("This page has failed - Holdfast");
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate("document.querySelector('main').scrollWidth")).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1280, height: 900 });
    await link("Volumes").click();
    await page.getByRole("heading", { name: "Volumes", level: 1 }).waitFor();
    await page.unroute("**/assets/kept-*.js");
    await link("Kept volumes").click();
    await page.getByRole("button", { name: "Load it again" }).click();
    await page.getByRole("heading", { name: "Kept volumes", level: 1 }).waitFor();
  });

  test.each(paths)(
    "%s: the keyboard reaches all that can be clicked, in the order in which it stands",
    async (path) => {
      const page = await shown.open(path);
      await settled(page);
      // Found again each time: a button is another element once it is known that a person may use it.
      const reachable = `[...document.querySelectorAll("a[href], button, input, select, textarea, [tabindex='0']")]
      .filter((one) => !one.disabled && one.checkVisibility({ visibilityProperty: true }))`;
      const all = await page.evaluate<string[]>(`${reachable}.map((one) => one.outerHTML.slice(0, 120))`);
      expect(all.length).toBeGreaterThan(8);
      const reached: number[] = [];
      for (let presses = 0; presses <= all.length + 1; presses++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate<number>(`${reachable}.indexOf(document.activeElement)`);
        if (at >= 0 && !reached.includes(at)) reached.push(at);
      }
      expect(all.filter((_, index) => !reached.includes(index))).toEqual([]);
      expect(reached).toEqual(reached.toSorted((one, other) => one - other));
    },
  );
});

describe.skipIf(!hasBrowser)("with nothing on the cluster", () => {
  test("a Warning that a change is refused goes when it is known that no event of it is kept", async () => {
    const cluster = await stillCluster();
    const shown = await openConsole(cluster, cluster.tokens.admin);
    const web = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", namespace: "default" };
    const eventTime = new Date(Date.now() - 3_600_000).toISOString().replace("Z", "000Z");
    await cluster.add([{ ...objects.event("old", web, "KubernetesRefused", "Quota is exceeded."), eventTime }]);
    const page = await shown.open("/");
    await page.getByText("None: every event was taken.").waitFor();
    await page.getByText("KubernetesRefused: Quota is exceeded.").waitFor();
    const metadata = { namespace: "holdfast", name: "holdfast-dead-letters" };
    await cluster.add([{ apiVersion: "v1", kind: "ConfigMap", metadata }]);
    await page.getByText("Everything is at rest").waitFor();
    await shown.close();
    await cluster.close();
  });

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
    const shown = await openConsole(cluster, cluster.tokens.admin);
    const page = await shown.open("/", { reducedMotion: "reduce" });
    const names = ["Overview", "Volumes", "Claims and sets", "Kept volumes", "Satellites", "Eviction"];
    for (const [index, name] of names.entries()) {
      await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
      await page
        .getByText(sentences[index] as string)
        .first()
        .waitFor();
      expect(await violationsInBothThemes(page), name).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate("document.querySelector('main').scrollWidth"), name).toBeLessThanOrEqual(360);
      await page.setViewportSize({ width: 1280, height: 900 });
    }
    expect(shown.problems).toEqual([]);
    await shown.close();
    await cluster.close();
  });
});
