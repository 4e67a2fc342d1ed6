import { globSync } from "node:fs";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { FunctionDeclaration } from "../../shared/declaration.ts";
import type { Rule } from "../../shared/rule.ts";

/** A function's declaration: a rule's, or that of a function that serves the rules and is woken in a way of its own. */
export type Declared = FunctionDeclaration & Partial<Pick<Rule, "wakes" | "sweep">>;

/**
 * Imports the declaration of every function in the repository, sorted by name.
 *
 * @throws Error when a `rule.ts` or `declaration.ts` exports none that is named after its folder.
 */
export async function loadDeclared(root: string): Promise<readonly Declared[]> {
  const files = globSync("functions/*/*/{rule,declaration}.ts", { cwd: root }).sort();
  return Promise.all(files.map((file) => load(root, file)));
}

async function load(root: string, file: string): Promise<Declared> {
  const exported: Record<string, unknown> = await import(pathToFileURL(join(root, file)).href);
  const name = file.split(sep).slice(1, 3).join("/");
  const declared = Object.values(exported).find((value) => isNamed(value) && value.name === name);
  if (!declared) throw new Error(`${file} declares no function named ${name}.`);
  return declared as Declared;
}

/** The file that declares a function, relative to the repository. */
export function originOf({ name, wakes }: Declared): string {
  return `functions/${name}/${wakes ? "rule" : "declaration"}.ts`;
}

const isNamed = (value: unknown): value is { name: unknown } =>
  typeof value === "object" && value !== null && "name" in value;
