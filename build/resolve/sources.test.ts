import { join } from "node:path";
import { expect, test } from "vitest";
import { functionNames } from "../../esbuild.config.mjs";
import { findReferences } from "./references.ts";
import { readSources } from "./sources.ts";

test("what the repository installs names every function once, and optional parts are left where they are", async () => {
  const sources = await readSources(join(import.meta.dirname, "../../knative"), false);
  const names = sources.flatMap((source) => findReferences(source, functionNames()).map(({ name }) => name));
  expect(names.length).toBeGreaterThan(4);
  expect(new Set(names).size).toBe(names.length);
});
