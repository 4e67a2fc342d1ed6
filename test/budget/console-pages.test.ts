import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildConsole } from "../../console/build.mjs";

/** Bytes, compressed by gzip: what a person waits for before the first page asks for its data. */
const firstLoadBudget = 350_000;

let folder: string;
let firstLoad: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-console-"));
  ({ firstLoad } = await buildConsole(folder));
});
afterAll(() => rm(folder, { recursive: true }));

test("the first load of the console has at most 350 kB", () => {
  expect(firstLoad).toBeGreaterThan(100_000);
  expect(firstLoad).toBeLessThanOrEqual(firstLoadBudget);
});

test("no script and no style stands in the page itself, and no module of Node is in a script", async () => {
  const page = await readFile(join(folder, "index.html"), "utf8");
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
  const scripts = (await readdir(join(folder, "assets"))).filter((name) => name.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(7);
  for (const name of scripts)
    expect(await readFile(join(folder, "assets", name), "utf8"), name).not.toMatch(/(from|import\()\s*"node:/);
});
