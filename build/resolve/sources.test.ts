import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { functionNames } from "../../esbuild.config.mjs";
import { findReferences } from "./references.ts";
import { readSources } from "./sources.ts";

test("what the repository installs names every function once, and optional parts are left where they are", async () => {
  const sources = await readSources(join(import.meta.dirname, "../../knative"), false);
  const names = sources.flatMap((source) => findReferences(source, functionNames()).map(({ name }) => name));
  expect(names.length).toBeGreaterThan(4);
  expect(new Set(names).size).toBe(names.length);
});

describe("of a folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-sources-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (path: string, text = "a: 1\n") => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const origins = async (path: string, recursive = false) =>
    (await readSources(join(folder, path), recursive)).map(({ origin }) => origin.slice(folder.length + 1));

  test("its YAML and JSON is read, in order, and what is deeper only when that is asked for", async () => {
    for (const name of ["plain/b.yml", "plain/a.yaml", "plain/c.json", "plain/d.txt", "plain/deep/e.yaml"]) file(name);
    expect(await origins("plain")).toEqual(["plain/a.yaml", "plain/b.yml", "plain/c.json"]);
    expect(await origins("plain", true)).toEqual(["plain/a.yaml", "plain/b.yml", "plain/c.json", "plain/deep/e.yaml"]);
    await expect(origins("plain/none")).rejects.toThrow("There is no file or folder ");
    file("empty/deep/a.yaml");
    await expect(origins("empty")).rejects.toThrow(/^There is no YAML in \S+, --recursive looks deeper\.$/);
  });

  test("with a kustomization what that brings together is read, as it is written", async () => {
    file("k/kustomization.yaml", "resources: [one.yaml, base]\ncomponents: [../c]\n");
    file("k/one.yaml", "a: 1 # why\n");
    file("k/not-named.yaml");
    file("k/base/kustomization.yml", "resources:\n- two.yaml\n");
    file("k/base/two.yaml");
    file("c/kustomization.yaml", "kind: Component\nresources: [three.yaml]\n");
    file("c/three.yaml");
    expect(await origins("k")).toEqual(["k/one.yaml", "k/base/two.yaml", "c/three.yaml"]);
    expect((await readSources(join(folder, "k"), false))[0]?.text).toBe("a: 1 # why\n");
  });

  test("with a kustomization that does more it is said what carries it out", async () => {
    file("more/kustomization.yaml", "resources: [one.yaml]\nnamePrefix: x-\npatches: []\n");
    file("more/one.yaml");
    await expect(origins("more")).rejects.toThrow(/kustomization\.yaml has namePrefix, patches, .*: say -k /);
  });
});
