import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Imports a module. */
export type Load = () => Promise<Readonly<Record<string, unknown>>>;

/**
 * The modules that declare rules and systems, by `<system>/<rule>` and `<system>`: found by their folders. The packed
 * program has no folders; `build/cli/` puts a list of them in the place of this file.
 */
export const modules: ReadonlyMap<string, Load> = new Map(
  find(["*/*/rule.ts", "*/system.ts"]).map(([name, file]) => [name, () => import(pathToFileURL(file).href)]),
);

function find(patterns: string[]): readonly (readonly [name: string, file: string])[] {
  const cwd = fileURLToPath(new URL("../../functions", import.meta.url));
  const found = globSync(patterns, { cwd }).sort();
  return found.map((file) => [file.split(/[\\/]/).slice(0, -1).join("/"), join(cwd, file)]);
}
