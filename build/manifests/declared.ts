import { globSync } from "node:fs";
import { join, sep } from "node:path";
import type { FunctionDeclaration } from "../../shared/declaration.ts";
import { loadDeclaration } from "../../shared/load-declaration.ts";
import type { Rule } from "../../shared/rule.ts";
import type { SystemDeclaration } from "../../shared/system-declaration.ts";
import type { WrittenNames } from "../../shared/written-names.ts";

/** A function's declaration: a rule's, or that of a function that serves the rules and is woken in a way of its own. */
export type Declared = FunctionDeclaration &
  Partial<Pick<Rule, "triggers" | "sweep" | "finalizers" | "steps" | "progressName">>;

/**
 * Imports the declaration of every function in the repository, sorted by name.
 *
 * @throws Error when a `rule.ts` or `declaration.ts` exports none that is named after its folder.
 */
export async function loadDeclared(root: string): Promise<readonly Declared[]> {
  const files = globSync("functions/*/*/{rule,declaration}.ts", { cwd: root }).sort();
  return Promise.all(files.map((file) => load(root, file)));
}

/** Imports what systems say of themselves, by their names. */
export async function loadSystems(root: string): Promise<ReadonlyMap<string, SystemDeclaration>> {
  const systems = await loadOfSystems<SystemDeclaration>(root, "system.ts");
  return new Map(systems.map((declared) => [declared.name, declared]));
}

/** Imports what systems say of the names that their rules write on objects, sorted by system. */
export const loadWrittenNames = (root: string): Promise<readonly WrittenNames[]> =>
  loadOfSystems<WrittenNames>(root, "written-names.ts");

/** @throws Error when a file of this name in a system's folder declares nothing of the system's name. */
async function loadOfSystems<Declaration extends { readonly name: string }>(root: string, base: string) {
  const files = globSync(`functions/*/${base}`, { cwd: root }).sort();
  return Promise.all(
    files.map(async (file) => {
      const name = file.split(sep)[1] as string;
      const declared = await loadDeclaration<Declaration>(join(root, file), name);
      if (!declared) throw new Error(`${file} declares no system named ${name}.`);
      return declared;
    }),
  );
}

async function load(root: string, file: string): Promise<Declared> {
  const name = file.split(sep).slice(1, 3).join("/");
  const declared = await loadDeclaration<Declared>(join(root, file), name);
  if (!declared) throw new Error(`${file} declares no function named ${name}.`);
  return declared;
}

/** The system of a function: its name up to the slash. */
export const systemOf = ({ name }: Pick<Declared, "name">): string => name.slice(0, name.indexOf("/"));

/** The file that declares a function, relative to the repository. */
export function originOf({ name, triggers }: Declared): string {
  return `functions/${name}/${triggers ? "rule" : "declaration"}.ts`;
}
