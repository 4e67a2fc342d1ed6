import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { FunctionDeclaration } from "../../../../shared/declaration.ts";
import type { Kind } from "../../../../shared/kubernetes/kind.ts";
import type { Rule } from "../../../../shared/rule.ts";
import type { SystemDeclaration } from "../../../../shared/system-declaration.ts";

type Declared = Partial<FunctionDeclaration & Pick<Rule, "triggers" | "sweep"> & SystemDeclaration>;

/**
 * Every kind that a function of any system reads, or that a system brings: found by their folders. Bundles have no
 * folders; `build/functions/embed-kinds.mjs` puts the list in the place of this file.
 */
export async function declaredKinds(): Promise<readonly Kind[]> {
  const cwd = fileURLToPath(new URL("../../..", import.meta.url));
  const files = globSync(["*/*/{rule,declaration}.ts", "*/system.ts"], { cwd }).sort();
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(join(cwd, file)).href)));
  const kinds = modules.flatMap((module) => Object.values<Declared | undefined>(module).flatMap(kindsOf));
  return [...new Map(kinds.map((kind) => [`${kind.apiVersion}/${kind.plural}`, kind])).values()];
}

function kindsOf(declared: Declared | undefined): readonly Kind[] {
  if (!declared?.name) return [];
  const { permissions = [], triggers = [], sweep = [], definitions = [] } = declared;
  const isRead = ({ verbs }: FunctionDeclaration["permissions"][number]) =>
    verbs.includes("get") || verbs.includes("list");
  return [
    ...permissions.filter(isRead).map(({ resource }) => resource),
    ...[...triggers, ...sweep, ...definitions].map(({ kind }) => kind),
  ].map(({ apiVersion, kind, plural, namespaced }) => ({ apiVersion, kind, plural, namespaced }));
}
