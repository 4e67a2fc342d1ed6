import { UserError } from "../../shared/command/user-error.ts";
import { declaredIn } from "../../shared/load-declaration.ts";
import { type Rule, slug } from "../../shared/rule.ts";
import type { SystemDeclaration } from "../../shared/system-declaration.ts";
import { modules } from "./modules.ts";

const ruleNames = () => [...modules.keys()].filter((name) => name.includes("/"));
const systemOf = (ruleName: string) => ruleName.split("/")[0] as string;

/** The names of all systems that have rules. */
export const systemNames = (): readonly string[] => [...new Set(ruleNames().map(systemOf))];

/** The declarations of all rules of these systems. */
export async function loadRules(systems: readonly string[]): Promise<readonly Rule[]> {
  return Promise.all(ruleNames().flatMap((name) => (systems.includes(systemOf(name)) ? [load<Rule>(name)] : [])));
}

/**
 * Loads a rule by its name (`pvc-protection/release`), or by the host of its function
 * (`pvc-protection-release.holdfast`).
 *
 * @throws UserError that names the rules there are.
 */
export async function loadRule(name: string): Promise<Rule> {
  const [host] = name.split(".");
  const found = ruleNames().find((known) => known === name || slug(known) === host);
  if (!found)
    throw new UserError(`There is no rule ${name || "named in the event"}; name one of: ${ruleNames().join(", ")}.`);
  return load<Rule>(found);
}

/** What the systems among these say of themselves, as far as they do. */
async function loadSystems(systems: readonly string[]): Promise<readonly SystemDeclaration[]> {
  return Promise.all(systems.filter((name) => modules.has(name)).map((name) => load<SystemDeclaration>(name)));
}

/** The names of the systems that are installed where nothing else is asked for. */
export async function defaultSystems(): Promise<readonly string[]> {
  const optional = (await loadSystems(systemNames())).filter((one) => one.optional).map(({ name }) => name);
  return systemNames().filter((name) => !optional.includes(name));
}

/** The names of the definitions that these systems bring, such as `volumes.storage.metalk8s.scality.com`. */
export async function definitionNames(systems: readonly string[]): Promise<readonly string[]> {
  return (await loadSystems(systems)).flatMap(({ definitions = [] }) =>
    definitions.map(({ kind }) => `${kind.plural}.${kind.apiVersion.split("/")[0]}`),
  );
}

async function load<Declaration extends { readonly name: string }>(name: string): Promise<Declaration> {
  const declared = declaredIn<Declaration>((await modules.get(name)?.()) ?? {}, name);
  if (!declared) throw new Error(`The module of ${name} declares nothing of this name.`);
  return declared;
}
