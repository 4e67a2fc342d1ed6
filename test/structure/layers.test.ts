import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Who may import whom, besides themselves. Tests, and what only they import, may import everything. */
const layers: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  // What the rules of one system share.
  lib: ["shared"],
  functions: ["shared", "lib"],
  // How functions are bundled and run, which is what the laptop edition begins with, and images end with.
  bundling: ["shared"],
  // Sources and brokers for clusters without Knative, which are shipped: nothing of the laptop edition is in them.
  eventing: ["shared"],
  // It uses the filters of `eventing` to say which events a Trigger of Knative lets pass.
  cli: ["shared", "lib", "functions", "eventing"],
  // Shown by a browser: a test beside this one bundles it, and finds no module of Node in it.
  console: ["shared", "lib"],
  local: ["shared", "lib", "eventing", "bundling"],
  build: ["shared", "lib", "functions", "eventing", "bundling", "local"],
};

const forTests = /\.test\.ts$|\/(testing|fixtures)\//;
const sources = globSync(
  ["{shared,functions,eventing,cli,console,local,build}/**/*.{ts,tsx,mjs}", "esbuild.config.mjs"],
  {
    cwd: root,
  },
)
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !forTests.test(file))
  .sort();

/** The files of ours that a file imports, types included, relative to the root. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), "utf8");
  const found = text.matchAll(/(?:\bfrom|^import|\bimport\()\s*"(\.{1,2}\/[^"]+)"/gm);
  return [...found].map(([, path]) => posix.join(dirname(file), path as string));
}

const layerOf = (file: string) =>
  /^functions\/[^/]+\/lib\//.test(file)
    ? "lib"
    : /^(esbuild\.config|build\/functions\/.*)\.mjs$/.test(file)
      ? "bundling"
      : (file.split("/")[0] as string);

/** `functions/pvc-protection/`, for a file of it. */
const systemOf = (file: string) => /^functions\/[^/]+\//.exec(file)?.[0];

/** `functions/pvc-protection/release/`, for a file of it. */
const functionOf = (file: string) => /^functions\/[^/]+\/[^/]+\//.exec(file)?.[0];

function mayImport(file: string, imported: string): boolean {
  if (forTests.test(imported)) return false;
  const [from, to] = [layerOf(file), layerOf(imported)];
  const ofOthers = (from === "functions" || from === "lib") && to === "lib" && systemOf(file) !== systemOf(imported);
  if (from !== to || ofOthers) return !ofOthers && (layers[from]?.includes(to) ?? false);
  return functionOf(file) === functionOf(imported);
}

test("every layer imports only what lies below it, and no function another one", () => {
  const imports = sources.flatMap((file) => importsOf(file).map((imported) => [file, imported] as const));
  expect(imports.length).toBeGreaterThan(1000);
  const wrong = imports.filter(([file, imported]) => !mayImport(file, imported));
  expect(wrong.map(([file, imported]) => `${file} imports ${imported}`)).toEqual([]);
});

test.each([
  ["shared/rule.ts", "functions/pvc-protection/release/rule.ts", false],
  ["shared/rule.ts", "local/start.ts", false],
  ["shared/rule.ts", "shared/storage/protection.ts", true],
  ["functions/pvc-retention/set-owner/rule.ts", "functions/pvc-retention/sync-policy/name.ts", false],
  ["functions/pvc-retention/set-owner/rule.ts", "functions/pvc-retention/set-owner/name.ts", true],
  ["functions/pvc-retention/set-owner/rule.ts", "functions/pvc-retention/lib/policy.ts", true],
  ["functions/pvc-protection/warn/rule.ts", "functions/pvc-retention/lib/policy.ts", false],
  ["functions/pvc-retention/lib/policy.ts", "functions/pvc-protection/lib/policy.ts", false],
  ["functions/pvc-retention/lib/policy.ts", "functions/pvc-retention/set-owner/rule.ts", false],
  ["functions/pvc-retention/lib/policy.ts", "shared/rule.ts", true],
  ["local/start.ts", "functions/pvc-retention/lib/policy.ts", true],
  ["functions/undelete/expire/rule.ts", "functions/undelete/lib/note.ts", true],
  ["functions/undelete/lib/note.ts", "functions/undelete/expire/rule.ts", false],
  ["functions/pvc-retention/set-owner/rule.ts", "functions/undelete/lib/note.ts", false],
  ["functions/pvc-retention/set-owner/rule.ts", "shared/rule.ts", true],
  ["functions/pvc-retention/set-owner/rule.ts", "local/start.ts", false],
  ["local/start.ts", "functions/pvc-retention/set-owner/rule.ts", false],
  ["local/start.ts", "test/harness/cluster.ts", false],
  ["local/start.ts", "local/knative/testing/world.ts", false],
  ["local/start.ts", "eventing/control/eventing.ts", true],
  ["local/start.ts", "cli/main.ts", false],
  ["eventing/main.ts", "local/time/testing/virtual-clock.ts", false],
  ["eventing/main.ts", "test/harness/faults/fates.ts", false],
  ["eventing/main.ts", "functions/pvc-retention/lib/policy.ts", false],
  ["cli/rules/load-systems.ts", "functions/pvc-retention/set-owner/rule.ts", true],
  ["cli/rules/load-systems.ts", "local/start.ts", false],
  ["console/volumes/volumes.tsx", "functions/volume/lib/deletable.ts", true],
  ["console/volumes/volumes.tsx", "shared/kubernetes/kind.ts", true],
  ["console/volumes/volumes.tsx", "functions/volume/run-job/rule.ts", false],
  ["console/volumes/volumes.tsx", "cli/main.ts", false],
  ["build/manifests/main.ts", "functions/pvc-retention/set-owner/rule.ts", true],
])("%s imports %s: %s", (file, imported, allowed) => expect(mayImport(file, imported)).toBe(allowed));

test("the image for clusters without Knative is made of the folders eventing and shared", () => {
  const shipped = new Set<string>();
  const add = (file: string) => {
    if (shipped.has(file)) return;
    shipped.add(file);
    for (const imported of importsOf(file)) add(imported);
  };
  add("eventing/main.ts");
  expect(shipped.size).toBeGreaterThan(50);
  expect(new Set([...shipped].map((file) => file.split("/")[0]))).toEqual(new Set(["eventing", "shared"]));
});

test("the emulated API server has one public face: the server, HTTP before it, and label selectors", () => {
  const inside = /^local\/apiserver\//;
  const face = ["server.ts", "http.ts", "selector/label-selector.ts"].map((file) => `local/apiserver/${file}`);
  const wrong = sources
    .filter((file) => !inside.test(file))
    .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
    .filter(([, imported]) => inside.test(imported) && !face.includes(imported));
  expect(wrong.map(([file, imported]) => `${file} imports ${imported}`)).toEqual([]);
});

test("no two files of the emulated API server have the same name", () => {
  const names = sources.filter((file) => file.startsWith("local/apiserver/")).map((file) => posix.basename(file));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
