import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loadDeclared, loadSystems, loadWrittenNames } from "../../build/manifests/declared.ts";
import { differences, settle } from "../../build/manifests/files.ts";
import { nameFaults } from "../../build/manifests/name-tables.ts";
import { root } from "./kustomization.ts";

const functions = await loadDeclared(root);
const systems = await loadSystems(root);
const names = await loadWrittenNames(root);

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
  const { found, faults } = differences(root, functions, systems, names);
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

    const { found } = differences(copy, functions, systems, names);
    expect(summary(found)).toEqual([
      "update functions/pvc-protection/warn/README.md",
      "update knative/pvc-protection/release.yaml",
      "remove knative/pvc-protection/worry.yaml",
      "create sources/storage.yaml",
    ]);
    settle(copy, found);
    expect(differences(copy, functions, systems, names)).toEqual({ found: [], faults: [] });
  },
);

test("a README without a place for its tables, or without a file, is a fault that names the marks", () => {
  const copy = copyOfRepository();
  rmSync(join(copy, "functions/pvc-protection/warn/README.md"));
  writeFileSync(join(copy, "sources/README.md"), "<!-- generated: scenarios -->\n<!-- end of scenarios -->\n");
  expect(differences(copy, functions, systems, names).faults).toEqual([
    "functions/pvc-protection/warn/README.md must have <!-- generated: triggers -->, <!-- generated: " +
      "permissions -->, <!-- generated: settings -->, each with an end.",
    "sources/README.md must have <!-- generated: sources -->, each with an end.",
  ]);
});

test("a name that nothing explains, one that no rule writes, and a kind without its conditions are faults", () => {
  const [first, ...others] = names.filter(({ name }) => name === "undelete" || name === "volume");
  const kept = names.filter(({ name }) => name !== "undelete" && name !== "volume");
  const { "holdfast.dev/offer": offer, ...annotations } = first?.annotations ?? {};
  const spoilt = [
    ...kept,
    { name: "undelete", ...first, annotations: { ...annotations, ...(offer && { "holdfast.dev/gone": offer }) } },
    ...others.map((one) => ({ ...one, conditions: [] })),
  ];
  expect(nameFaults(functions, names)).toEqual([]);
  expect(nameFaults(functions, spoilt)).toEqual([
    'functions/undelete/written-names.ts must say under "annotations" what holdfast.dev/offer means, and what ' +
      "happens if a person changes it.",
    "functions/undelete/written-names.ts explains holdfast.dev/gone, which no rule of the system writes.",
    "functions/volume/written-names.ts must say which conditions a Volume has.",
  ]);
});

test("every condition that functions write is explained, and no other", () => {
  const written = functions.flatMap(({ permissions }) => permissions.flatMap(({ writes }) => writes?.conditions ?? []));
  const explained = names.flatMap(({ conditions = [] }) => conditions.map(({ type }) => type));
  expect(written.length).toBeGreaterThanOrEqual(34);
  expect([...new Set(explained)].sort()).toEqual([...new Set(written)].sort());
});
