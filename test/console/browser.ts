import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { buildConsole } from "../../console/build.mjs";
import { type ServedClient, serveClient } from "./serve-client.ts";

/** The browser, where there is one. */
export const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => path && existsSync(path),
);

/** Whether there is a browser; said in one line where there is none. */
export const hasBrowser = executablePath !== undefined;
if (!hasBrowser) console.log("The console's tests are skipped: install chromium, or name one in CHROMIUM.");

/** The client in a browser, beside an API server. */
export interface Console {
  readonly client: ServedClient;
  /** A page of its own, opened there. What goes wrong in it is in {@link problems}. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Builds the client, and opens a browser on it. */
export async function openConsole(api: string, token: string): Promise<Console> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-console-"));
  await buildConsole(folder);
  const client = await serveClient(folder, api, token);
  // Tests run as root in containers, where the browser's own sandbox cannot be set up.
  const browser: Browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] });
  const problems: string[] = [];
  return {
    client,
    problems,
    async open(path, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
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
      await rm(folder, { recursive: true });
    },
  };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe finds wrong with the page as it is now, or with the part of it that a selector names. */
export async function violationsOf(page: Page, within = "html"): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const run = `axe.run(${JSON.stringify(within)}, { resultTypes: ["violations"] })`;
  const { violations } = (await page.evaluate(run)) as { violations: readonly Violation[] };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}
