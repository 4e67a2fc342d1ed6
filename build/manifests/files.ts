import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SystemDeclaration } from "../../shared/system-declaration.ts";
import type { WrittenNames } from "../../shared/written-names.ts";
import { costTables } from "./cost-without-knative.ts";
import type { Declared } from "./declared.ts";
import { installedByDefault, manifestsOf } from "./manifests.ts";
import { nameFaults, nameTables } from "./name-tables.ts";
import { functionTables, permissionTables, sourceTables, type Tables, withTables } from "./reference.ts";
import { chartTables, eventTables, overlayTables, ruleTables, settingTables } from "./reference-tables.ts";
import { sourceAccountTables } from "./source-accounts.ts";
import { isGenerated } from "./yaml.ts";

/** How a file of the repository departs from what follows from the declarations. */
export interface Difference {
  /** Relative to the repository. */
  readonly path: string;
  readonly change: "create" | "update" | "remove";
  /** What the file should be; absent when it should not be there. */
  readonly text?: string;
}

/**
 * What is to be done so that the repository says what its functions declare: manifests, the generated tables of
 * READMEs, and generated manifests that nothing asks for any more. Sorted by path. `faults` are documents that only
 * their author can mend, in a sentence each.
 */
export function differences(
  root: string,
  functions: readonly Declared[],
  systems: ReadonlyMap<string, SystemDeclaration>,
  names: readonly WrittenNames[],
): { readonly found: readonly Difference[]; readonly faults: readonly string[] } {
  const wanted = new Map(manifestsOf(functions, systems));
  const faults = [...nameFaults(functions, names)];
  const document = (path: string, tables: Tables) => {
    const { text, fault } = withTables(read(root, path) ?? "", tables);
    if (fault) faults.push(`${path} ${fault}`);
    else wanted.set(path, text);
  };
  for (const declared of functions) document(`functions/${declared.name}/README.md`, functionTables(declared));
  document("sources/README.md", sourceTables(installedByDefault(functions, systems)));
  document("docs/permissions.md", { ...permissionTables(functions), ...sourceAccountTables(wanted) });
  document("docs/rules.md", ruleTables(functions));
  document("docs/settings.md", settingTables(functions));
  document("docs/names.md", nameTables(functions, names));
  document("docs/events.md", eventTables());
  document("docs/install-without-knative.md", costTables(wanted));
  const paths = kustomizations(root, wanted);
  const readWanted = (path: string) => wanted.get(path) ?? read(root, path);
  document("docs/overlays.md", overlayTables(paths, readWanted));
  document("docs/chart-values.md", chartTables(functions, systems, paths, readWanted));

  const found: Difference[] = [];
  for (const [path, text] of wanted) {
    const present = read(root, path);
    if (present !== text) found.push({ path, change: present === undefined ? "create" : "update", text });
  }
  for (const path of globSync(["knative/**/*.yaml", "sources/**/*.yaml"], { cwd: root })) {
    if (!wanted.has(path) && isGenerated(read(root, path) ?? "")) found.push({ path, change: "remove" });
  }
  return { found: found.sort((one, other) => (one.path < other.path ? -1 : 1)), faults };
}

/** The kustomizations as they are to be: those that are there, and those that are yet to be written. */
function kustomizations(root: string, wanted: ReadonlyMap<string, string>): readonly string[] {
  const present = globSync("knative/*/*/kustomization.yaml", { cwd: root }).map((path) => path.replaceAll("\\", "/"));
  const stays = present.filter((path) => wanted.has(path) || !isGenerated(read(root, path) ?? ""));
  return [...new Set([...stays, ...wanted.keys()])].sort();
}

/** Writes the differences away. */
export function settle(root: string, found: readonly Difference[]): void {
  for (const { path, text } of found) {
    const file = join(root, path);
    if (text === undefined) {
      rmSync(file);
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function read(root: string, path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
