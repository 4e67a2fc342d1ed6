import { pathToFileURL } from "node:url";

/**
 * Imports a module and returns what it declares under a name (a rule, a function, a system), under any export name;
 * `undefined` where it declares nothing of that name. `file` is an absolute path.
 */
export async function loadDeclaration<Declaration extends { readonly name: string }>(
  file: string,
  name: string,
): Promise<Declaration | undefined> {
  return declaredIn<Declaration>(await import(pathToFileURL(file).href), name);
}

/** What a module that was imported declares under a name; `undefined` where it declares nothing of that name. */
export function declaredIn<Declaration extends { readonly name: string }>(
  exported: Readonly<Record<string, unknown>>,
  name: string,
): Declaration | undefined {
  return Object.values(exported).find((value): value is Declaration => isNamed(value) && value.name === name);
}

const isNamed = (value: unknown): value is { name: unknown } =>
  typeof value === "object" && value !== null && "name" in value;
