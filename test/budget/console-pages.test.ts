import { readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildConsole } from "../../console/build.mjs";

/** Bytes in brotli, as the server sends them: all that a person waits for before a page shows something. */
const firstLoadBudget = 350_000;

const pages = ["overview", "volumes", "claims", "kept", "satellites", "eviction", "object"];

let folder: string;
const firstLoads = new Map<string, number>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-console-"));
  const built = await buildConsole(folder);
  const files = new Set([...built.firstLoads.values()].flat());
  const sizes = new Map([...files].map((file) => [file, packedSize(join(folder, file))]));
  for (const [page, needed] of built.firstLoads)
    firstLoads.set(
      page,
      needed.reduce((sum, file) => sum + (sizes.get(file) ?? Number.NaN), 0),
    );
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

/** Fonts are packed in themselves. */
function packedSize(file: string): number {
  const content = readFileSync(file);
  return file.endsWith(".woff2") ? content.length : brotliCompressSync(content).length;
}

test("the first load of the console has at most 350 kB, whichever page is opened", () => {
  expect([...firstLoads.keys()]).toEqual(expect.arrayContaining(pages.map((page) => `console/${page}/${page}.tsx`)));
  for (const [page, size] of firstLoads) {
    expect(size, page).toBeGreaterThan(200_000);
    expect(size, page).toBeLessThanOrEqual(firstLoadBudget);
  }
});

test("no script and no style stands in the page itself, and no module of Node is in a script", async () => {
  const page = await readFile(join(folder, "index.html"), "utf8");
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
  const scripts = (await readdir(join(folder, "assets"))).filter((name) => name.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(7);
  for (const name of scripts)
    expect(await readFile(join(folder, "assets", name), "utf8"), name).not.toMatch(/(from|import\()\s*"node:/);
});
