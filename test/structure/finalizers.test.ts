import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";

const root = join(import.meta.dirname, "../..");
const declared = await loadDeclared(root);

/** Whether the code of a function removes a finalizer. */
const removes = (name: string) =>
  globSync(`functions/${name}/*.ts`, { cwd: root })
    .filter((file) => !file.endsWith(".test.ts"))
    .some((file) => readFileSync(join(root, file), "utf8").includes("removeFinalizer("));

test("a rule declares the finalizers that it removes, so that an uninstall knows what holds objects", () => {
  const wanted = declared.filter(({ name }) => removes(name)).map(({ name }) => name);
  expect(wanted.length).toBeGreaterThan(3);
  expect(declared.flatMap(({ name, finalizers }) => (finalizers ? [name] : []))).toEqual(
    expect.arrayContaining(wanted),
  );
  // In a lib a reader would not see which rules it is for.
  const libs = globSync("functions/*/lib/**/*.ts", { cwd: root });
  expect(
    libs.filter((file) => readFileSync(join(root, file), "utf8").includes("removeFinalizer(")).map(dirname),
  ).toEqual([]);
});
