import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loadDeclared, loadSystems } from "../../build/manifests/declared.ts";
import { differences, settle } from "../../build/manifests/files.ts";
import { root } from "./kustomization.ts";

const functions = await loadDeclared(root);
const systems = await loadSystems(root);

const copies: string[] = [];
afterEach(() => {
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true });
});

/** The parts of the repository that are generated or have generated parts, where they can be spoilt. */
function copyOfRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), "holdfast-manifests-"));
  copies.push(copy);
  for (const folder of ["docs", "functions", "knative", "sources"])
    cpSync(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: (path) => !/\.(ts|mjs)$/.test(path),
    });
  return copy;
}

const summary = (found: ReturnType<typeof differences>["found"]) =>
  found.map(({ change, path }) => `${change} ${path}`);

test("the repository says what its functions declare (otherwise: npm run manifests)", () => {
  const { found, faults } = differences(root, functions, systems);
  expect(summary(found)).toEqual([]);
  expect(faults).toEqual([]);
});

test(
  "an edited manifest, an edited table, a missing manifest and one that nothing asks for are noticed, " +
    "and put right",
  () => {
    const copy = copyOfRepository();
    const edit = (path: string, change: (text: string) => string) =>
      writeFileSync(join(copy, path), change(readFileSync(join(copy, path), "utf8")));
    edit("knative/pvc-protection/release.yaml", (text) => text.replace("retry: 5", "retry: 50"));
    edit("functions/pvc-protection/warn/README.md", (text) => text.replace("`LOG_LEVEL`", "`LOG`"));
    rmSync(join(copy, "sources/storage.yaml"));
    cpSync(join(copy, "knative/pvc-protection/warn.yaml"), join(copy, "knative/pvc-protection/worry.yaml"));

    const { found } = differences(copy, functions, systems);
    expect(summary(found)).toEqual([
      "update functions/pvc-protection/warn/README.md",
      "update knative/pvc-protection/release.yaml",
      "remove knative/pvc-protection/worry.yaml",
      "create sources/storage.yaml",
    ]);
    settle(copy, found);
    expect(differences(copy, functions, systems)).toEqual({ found: [], faults: [] });
  },
);

test("a README without a place for its tables, or without a file, is a fault that names the marks", () => {
  const copy = copyOfRepository();
  rmSync(join(copy, "functions/pvc-protection/warn/README.md"));
  writeFileSync(join(copy, "sources/README.md"), "<!-- generated: scenarios -->\n<!-- end of scenarios -->\n");
  expect(differences(copy, functions, systems).faults).toEqual([
    "functions/pvc-protection/warn/README.md must have <!-- generated: triggers -->, <!-- generated: " +
      "permissions -->, <!-- generated: settings -->, each with an end.",
    "sources/README.md must have <!-- generated: sources -->, each with an end.",
  ]);
});
