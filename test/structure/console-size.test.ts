import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
/** The client, the function, and the server that the function shares with the command line. */
const folders = ["console", "functions/platform/console", "functions/platform/lib/console"];
const most = 6000;

test(`the console has at most ${most} lines, without tests and without blank lines`, () => {
  const files = folders.flatMap((folder) => {
    const found = globSync(`${folder}/**/*.{ts,tsx,mjs,css}`, { cwd: root });
    expect(found, folder).not.toEqual([]);
    return found.filter((file) => !file.endsWith(".test.ts"));
  });
  const lines = files.flatMap((file) => readFileSync(join(root, file), "utf8").split("\n"));
  const written = lines.filter((line) => line.trim() !== "").length;
  expect(written).toBeGreaterThan(most / 2);
  expect(written).toBeLessThanOrEqual(most);
});
