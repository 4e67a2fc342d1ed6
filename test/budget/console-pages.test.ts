import { readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildConsole } from "../../console/build.mjs";

/** Bytes as the server sends them: all that a person waits for before a page shows something. */
const firstLoadBudget = 350_000;
/** In gzip, too: browsers accept brotli only over HTTPS, or from this machine. */
const encodings = { gzip: (content: Buffer) => gzipSync(content), brotli: brotliCompressSync };

const pages = ["overview", "volumes", "claims", "kept", "satellites", "eviction", "object"];

let folder: string;
const firstLoads = new Map<string, readonly string[]>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-console-"));
  const built = await buildConsole(folder);
  for (const [page, needed] of built.firstLoads) firstLoads.set(page, needed);
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

test.each(["gzip", "brotli"] as const)(
  "the first load of the console has at most 350 kB in %s, whichever page is opened",
  (encoding) => {
    expect([...firstLoads.keys()]).toEqual(expect.arrayContaining(pages.map((page) => `console/${page}/${page}.tsx`)));
    // Fonts are packed in themselves.
    const sizeOf = (file: string) => {
      const content = readFileSync(join(folder, file));
      return file.endsWith(".woff2") ? content.length : encodings[encoding](content).length;
    };
    const sizes = new Map([...new Set([...firstLoads.values()].flat())].map((file) => [file, sizeOf(file)]));
    for (const [page, needed] of firstLoads) {
      const size = needed.reduce((sum, file) => sum + (sizes.get(file) ?? Number.NaN), 0);
      expect(size, page).toBeGreaterThan(200_000);
      expect(size, page).toBeLessThanOrEqual(firstLoadBudget);
    }
  },
);

test("no script and no style stands in the page itself, and no module of Node is in a script", async () => {
  const page = await readFile(join(folder, "index.html"), "utf8");
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
  const scripts = (await readdir(join(folder, "assets"))).filter((name) => name.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(7);
  for (const name of scripts)
    expect(await readFile(join(folder, "assets", name), "utf8"), name).not.toMatch(/(from|import\()\s*"node:/);
});
