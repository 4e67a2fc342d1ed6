import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openKeptBundles } from "./kept-bundles.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const name = "system/rule";
const now = Date.now();

let home: string;
let place: string;
let source: string;
let bundle: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "kept-bundles-test-"));
  place = join(home, "kept");
  source = join(home, "rule.ts");
  bundle = join(home, "bundle");
  save("one", now - 60_000);
  mkdirSync(bundle);
  const inputs = { [relative(root, source)]: {}, "package.json": {}, "builtin:zlib": {} };
  writeFileSync(join(bundle, "metafile.json"), JSON.stringify({ inputs }));
  writeFileSync(join(bundle, "index.mjs"), "bundled");
});
afterEach(() => rmSync(home, { recursive: true }));

function save(text: string, at: number): void {
  writeFileSync(source, text);
  utimesSync(source, at / 1000, at / 1000);
}

/** As the next run does it, which has to look for itself. */
const take = () => openKeptBundles(place).take(name, join(home, "taken"));
const keep = (signal = new AbortController().signal) => openKeptBundles(place).keep(name, bundle, now, signal);

test("a bundle is taken again while nothing has changed, and not before it was kept", async () => {
  expect(await take()).toBe(false);
  await keep();
  expect(await take()).toBe(true);
  expect(readFileSync(join(home, "taken/index.mjs"), "utf8")).toBe("bundled");
});

test("a bundle that was made of something else is not taken, nor is one of whose making a file is gone", async () => {
  await keep();
  save("two", now - 60_000);
  expect(await take()).toBe(false);
  rmSync(source);
  expect(await take()).toBe(false);
  save("one", now - 60_000);
  expect(await take()).toBe(true);
});

test("a bundle is not kept when a file was saved while it was made", async () => {
  save("one", now + 1);
  await keep();
  expect(await take()).toBe(false);
});

test("a bundle takes the place of the one before, and old ones of other toolchains go", async () => {
  await keep();
  mkdirSync(join(place, "other", "system-rule"), { recursive: true });
  mkdirSync(join(place, "another"));
  utimesSync(join(place, "other"), now / 1000 - 7200, now / 1000 - 7200);
  writeFileSync(join(bundle, "index.mjs"), "bundled again");
  await keep();
  expect(await take()).toBe(true);
  expect(readFileSync(join(home, "taken/index.mjs"), "utf8")).toBe("bundled again");
  expect(existsSync(join(place, "other"))).toBe(false);
  // Another run may be at work on what is new, and this toolchain's own.
  expect(readdirSync(place)).toHaveLength(2);
});

test("a bundle is not kept by a run that has been asked to end", async () => {
  await keep(AbortSignal.abort());
  expect(await take()).toBe(false);
  expect(readdirSync(place).filter((name) => name.startsWith("new-"))).toEqual([]);
});

test("where nothing can be kept, that is no failure", async () => {
  writeFileSync(place, "a file in the way");
  await keep();
  expect(await take()).toBe(false);
});
