import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

interface Part {
  readonly folders: readonly string[];
  /** Lines as `wc -l` counts, which must not grow unnoticed. */
  readonly most: number;
}

const parts: Readonly<Record<string, Part>> = {
  // The client, the function, and the server that the function shares with the command line.
  "the console": { folders: ["console", "functions/platform/console", "functions/platform/lib/console"], most: 6_000 },
  // The goals are 20,000 and 4,500: docs/numbers.md has the sizes.
  "the laptop edition": { folders: ["local"], most: 20_182 },
  evictions: { folders: ["functions/eviction"], most: 5_301 },
};

test.each(Object.entries(parts))("without tests, %s have at most the lines that the limit says", (_, part) => {
  const files = part.folders.flatMap((folder) => {
    const found = globSync(`${folder}/**/*.{ts,tsx,mjs,css}`, { cwd: root }).map((file) => file.replaceAll("\\", "/"));
    expect(found, folder).not.toEqual([]);
    return found.filter((file) => !/\.test\.ts$|\/testing\//.test(file));
  });
  const written = files.reduce((sum, file) => sum + readFileSync(join(root, file), "utf8").split("\n").length - 1, 0);
  expect(written).toBeGreaterThan(part.most / 2);
  expect(written).toBeLessThanOrEqual(part.most);
});

test.each(["evictions", "the laptop edition"])("the documentation states how many lines %s have", (part) => {
  const text = readFileSync(join(root, "docs/numbers.md"), "utf8").replaceAll(/\s+/g, " ");
  expect(text).toContain(`has ${parts[part]?.most.toLocaleString("en")} lines without its tests`);
});
