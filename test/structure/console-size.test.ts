import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
/** The client, the function, and the server that the function shares with the command line. */
const folders = ["console", "functions/platform/console", "functions/platform/lib/console"];
/** As `wc -l` counts. */
const most = 6_000;

test(`the console has at most ${most} lines, without tests`, () => {
  const files = folders.flatMap((folder) => {
    const found = globSync(`${folder}/**/*.{ts,tsx,mjs,css}`, { cwd: root });
    expect(found, folder).not.toEqual([]);
    return found.filter((file) => !file.endsWith(".test.ts"));
  });
  const written = files.reduce((sum, file) => sum + readFileSync(join(root, file), "utf8").split("\n").length - 1, 0);
  expect(written).toBeGreaterThan(most / 2);
  expect(written).toBeLessThanOrEqual(most);
});
