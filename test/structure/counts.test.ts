import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { broken as protection } from "../simulation/pvc-protection/broken/broken.ts";
import { broken as retention } from "../simulation/pvc-retention/broken/broken.ts";

const root = join(import.meta.dirname, "../..");
const words = (file: string) => readFileSync(join(root, file), "utf8").replaceAll(/\s+/g, " ");

test("READMEs say how many faults were put in on purpose", () => {
  const [ours, sets] = [protection.length, retention.length];
  expect(words("README.md")).toContain(`finds each of the ${ours} and ${sets} faults`);
  expect(words("functions/pvc-retention/README.md")).toContain(`finds each of ${sets} faults`);
  expect(words("test/simulation/pvc-retention/README.md")).toContain(` ${sets} functions with a known fault`);
});
