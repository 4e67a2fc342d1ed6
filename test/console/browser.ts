import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { expect, inject, onTestFinished, vi } from "vitest";
import { unusedClasses } from "../../console/used-styles.mjs";
import { browserPath } from "./browser-path.ts";
import type { StillCluster } from "./cluster.ts";
import { type ServedClient, serveClient } from "./serve-client.ts";

/** The client in a browser, beside an API server. */
export interface Console {
  readonly client: ServedClient;
  /** A page of its own, opened there, which closes with the test. What goes wrong in it is in {@link problems}. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Starts the browser. Tests run as root in containers, where the browser's own sandbox cannot be set up. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] });

/** Opens a browser on the client, as the user of a token. */
export async function openConsole({ connect }: StillCluster, token: string): Promise<Console> {
  const client = await serveClient(inject("consoleClient"), connect, token);
  const browser = await openBrowser();
  const problems: string[] = [];
  return {
    client,
    problems,
    async open(path, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      onTestFinished(() => context.close());
      context.setDefaultTimeout(120_000);
      const page = await context.newPage();
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => {
        if (/Content Security Policy/i.test(message.text())) problems.push(message.text());
      });
      await page.goto(client.url + path);
      await page.locator("h1").first().waitFor();
      return page;
    },
    async close() {
      await browser.close();
      await client.close();
    },
  };
}

/** Resolves when nothing on the page is being read any more. Its own policy allows no script that looks for it. */
export const settled = (page: Page): Promise<void> =>
  expect.poll(() => page.getByRole("progressbar").count(), { timeout: 120_000 }).toBe(0);

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Colours change by transitions, of which one may begin another; what turns for ever is none. */
const atRest = `(async () => {
  const moving = () => document.getAnimations().filter((one) => one instanceof CSSTransition);
  while (moving().length > 0) await Promise.allSettled(moving().map((one) => one.finished));
})()`;

/** What has one of the classes that the style sheet leaves out. */
const unstyled = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(`[...new Set([...document.querySelectorAll("[class]")].flatMap((one) => [...one.classList]))]
    .filter((name) => [${unusedClasses.join()}].some((unused) => unused.test(name)))`);

/**
 * What axe finds wrong with the page when its colours are at rest, or with the part of it that a selector names.
 * Fails where the style sheet lacks what the page shows.
 */
export async function violationsOf(page: Page, within = "html"): Promise<readonly string[]> {
  expect(await unstyled(page), "classes that console/used-styles.mjs leaves out").toEqual([]);
  await page.evaluate(atRest);
  await page.evaluate(axe.source);
  const run = `axe.run(${JSON.stringify(within)}, { resultTypes: ["violations"] })`;
  const { violations } = (await page.evaluate(run)) as { violations: readonly Violation[] };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

/** What axe finds wrong in the light theme and in the dark one. The page has the theme that it had before. */
export async function violationsInBothThemes(page: Page, within = "html"): Promise<readonly string[]> {
  const found: string[] = [];
  for (const theme of ["one theme", "the other"]) {
    found.push(...(await violationsOf(page, within)).map((violation) => `${theme}: ${violation}`));
    await page.evaluate("document.documentElement.classList.toggle('pf-v6-theme-dark')");
  }
  return found;
}

/** Presses Tab until an element has the focus; fails where the keyboard does not reach it. */
export async function tabTo(page: Page, element: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (await element.evaluate((one) => one === one.ownerDocument.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`The keyboard does not reach ${element}.`);
}

/**
 * Resolves when the tooltip of an element has said something; the pointer is then away from it. An element that is
 * rendered again under the pointer does not always show it, so that the pointer comes again.
 */
export async function waitForTooltip(page: Page, element: Locator, says: RegExp): Promise<void> {
  const leave = async () => {
    await page.mouse.move(0, 0);
    await page.getByRole("tooltip").waitFor({ state: "detached", timeout: 10_000 });
  };
  const come = async () => {
    await leave();
    await element.hover({ force: true, timeout: 10_000 });
    await page.getByRole("tooltip", { name: says }).waitFor({ timeout: 2_000 });
  };
  await vi.waitFor(come, { timeout: 120_000 });
  await leave();
}

/** Notes each state that a row of a table has from now on, however short. Returns how to have them, one a line. */
export async function noteStates(page: Page, name: string): Promise<() => Promise<string>> {
  await page.evaluate(`{
    globalThis.states = [];
    const note = () => {
      const row = [...document.querySelectorAll("tr")].find((one) => one.innerText.startsWith(${JSON.stringify(name)}));
      const text = row?.querySelector("[data-label=State]")?.innerText.trim();
      if (text && states.at(-1) !== text) states.push(text);
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  }`);
  return () => page.evaluate<string>("states.join('\\n')");
}
