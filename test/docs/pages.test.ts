import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, violationsOf } from "../console/browser.ts";
import { hasBrowser } from "../console/browser-path.ts";
import { builtSite } from "./site.ts";

// From files, as a reader without a network opens it.
describe.skipIf(!hasBrowser)("the documentation site, from files", async () => {
  if (!hasBrowser) return;
  const { folder, pages } = await builtSite();
  const addressOf = (url: string) => `${pathToFileURL(folder)}/${url}`;
  // Others are made alike, by the same layout.
  const read = pages.filter(({ source }) =>
    /^(README|SECURITY|docs\/[^/]+|functions\/[^/]+\/README)\.md$/.test(source),
  );
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  test("axe finds nothing wrong with any page, in the light and in the dark", async () => {
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await (await browser.newContext({ colorScheme })).newPage();
      for (const [at, { url }] of read.entries()) {
        // Colours and what is around the text are the same on every page.
        if (at > 1 && colorScheme === "dark") continue;
        await page.goto(addressOf(url));
        const violations = await violationsOf(page, at > 1 ? "main" : "html");
        found.push(...violations.map((violation) => `${url}, ${colorScheme}: ${violation}`));
      }
    }
    expect(found).toEqual([]);
  });

  test("every page can be read at 360 px: nothing hangs out to the side", async () => {
    const page = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage();
    const wide: string[] = [];
    for (const { url } of read) {
      await page.goto(addressOf(url));
      const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
      if (width > 360) wide.push(`${url}: ${width} px`);
    }
    expect(wide).toEqual([]);
  });

  test("a recording is there as a whole, and is played when a reader asks for it", async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(addressOf("tours.html"));
    const code = page.locator("pre.recording code").first();
    const whole = await code.innerText();
    await page.getByRole("button", { name: "Play" }).first().click();
    const begun = await code.innerText();
    expect(begun.length).toBeLessThan(whole.length / 2);
    await expect.poll(async () => (await code.innerText()).length, { timeout: 60_000 }).toBeGreaterThan(begun.length);
    await page.getByRole("button", { name: "Stop, and show all" }).click();
    expect(await code.innerText()).toBe(whole);
  });

  test("the search finds a section by its words, and leads there", async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(addressOf("adr/0003-sweep.html"));
    await page.getByRole("searchbox").fill("successor-of");
    await page.locator("#found a").first().click();
    await page.waitForURL(/#./);
    expect(await page.getByRole("main").innerText()).toContain("successor-of");
  });
});
