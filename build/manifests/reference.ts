import type { Permission } from "../../shared/declaration.ts";
import { Event, groupOf, type Kind } from "../../shared/kubernetes/kind.ts";
import { variableOf } from "../../shared/settings.ts";
import { type Declared, systemOf } from "./declared.ts";
import { code, table } from "./markdown-table.ts";
import { commonSettingsOf, type Setting, settingsOf } from "./settings.ts";
import { watchedKinds } from "./sources.ts";
import { secretOf, settingsConfigMap } from "./surroundings.ts";
import { triggersOf } from "./triggers.ts";
import { writePolicyOf } from "./write-policy.ts";

/** Tables that stand in a document between `<!-- generated: NAME -->` and `<!-- end of NAME -->`. */
export type Tables = Readonly<Record<string, string>>;

const block = /<!-- generated: (\w+) -->\n[\s\S]*?<!-- end of \1 -->/g;

/** A document with its generated tables as they are now; `fault` says which marks it lacks, or has for nothing. */
export function withTables(document: string, tables: Tables): { readonly text: string; readonly fault?: string } {
  const seen: string[] = [];
  const text = document.replaceAll(block, (_, name: string) => {
    seen.push(name);
    return `<!-- generated: ${name} -->\n${tables[name] ?? ""}<!-- end of ${name} -->`;
  });
  const marks = (names: readonly string[]) => names.map((name) => `<!-- generated: ${name} -->`).join(", ");
  const missing = Object.keys(tables).filter((name) => !seen.includes(name));
  if (missing.length > 0) return { text, fault: `must have ${marks(missing)}, each with an end.` };
  const idle = seen.filter((name) => tables[name] === undefined);
  return idle.length > 0 ? { text, fault: `has ${marks(idle)}, and nothing is generated there.` } : { text };
}

/**
 * What a function's README says of its declaration: `triggers` of a rule, `permissions` and `settings` of every
 * function.
 */
export function functionTables(declared: Declared): Tables {
  return {
    ...(declared.triggers ? { triggers: triggers(declared) } : {}),
    permissions: permissions(declared),
    settings: settings(declared),
    ...(declared.systems ? { systems: systems(declared) } : {}),
  };
}

/** What the README of the sources says: which file watches which kinds. */
export function sourceTables(functions: readonly Declared[]): Tables {
  const rows = [...watchedKinds(functions)].map(([family, kinds]) => [
    code(`${family}.yaml`),
    kinds.map(({ apiVersion, kind }) => (apiVersion === "v1" ? kind : `${kind} of ${code(apiVersion)}`)).join(", "),
    code(family),
  ]);
  return { sources: table(["File", "Watches", "Broker"], rows) };
}

/** What `docs/permissions.md` says: the functions of each system, what their accounts may do, and what limits them. */
export function permissionTables(functions: readonly Declared[]): Tables {
  const systems = Map.groupBy(functions, systemOf);
  return { functions: [...systems].map(([system, of]) => `\n### ${code(system)}\n\n${accounts(of)}\n`).join("") };
}

function accounts(functions: readonly Declared[]): string {
  const rows = functions.map((declared) => {
    const own = declared.permissions;
    const reads = own.filter(({ verbs }) => verbs.some((verb) => !isWrite(verb)));
    const roles = [
      ...(own.some((one) => !inOneNamespace(one)) ? ["ClusterRole"] : []),
      ...(own.some(inOneNamespace) ? ["Role"] : []),
    ];
    const policy = writePolicyOf(declared).length > 0 ? ["policy"] : [];
    return [
      `[${declared.name}](../functions/${declared.name}/README.md)`,
      [...new Set(reads.map((one) => `${one.resource.kind}${placeOf(one)}`))].join(", ") || "nothing",
      changes(own).join("<br>") || "nothing",
      [...roles, ...policy].join(", "),
    ];
  });
  return table(["Function", "May read", "May change only", "Limited by"], rows);
}

const isWrite = (verb: Permission["verbs"][number]) => verb !== "get" && verb !== "list";

const inOneNamespace = ({ ownNamespace, namespaceSetting }: Permission) =>
  ownNamespace !== undefined || namespaceSetting !== undefined;

const placeOf = ({ ownNamespace, namespaceSetting, names, overlay }: Permission) =>
  (names ? ` ${names.map(code).join(", ")}` : "") +
  (ownNamespace ? " (own namespace)" : "") +
  (namespaceSetting ? ` (namespace ${code(variableOf(namespaceSetting))})` : "") +
  (overlay ? ` with the option ${code(overlay)}` : "");

/** One line for each kind, and one for its status: verbs, and to what the policy holds them. */
function changes(permissions: readonly Permission[]): readonly string[] {
  const writing = permissions.filter(({ verbs }) => verbs.some(isWrite));
  const byObject = Map.groupBy(
    writing,
    (one) => `${one.resource.kind}${one.subresource ? ` ${one.subresource}` : ""}${placeOf(one)}`,
  );
  return [...byObject].map(([object, of]) => {
    const verbs = [...new Set(of.flatMap(({ verbs }) => verbs.filter(isWrite)))].join(", ");
    const only = [...new Set(of.map(limits).filter(Boolean))].join("; ");
    const events = of[0]?.resource === Event ? "Events of its own and its system" : "";
    return `${object}: ${verbs}${only || events ? ` (${only || events})` : ""}`;
  });
}

function triggers(declared: Declared): string {
  const rows = triggersOf(declared).flatMap(({ name, family, overlay, awaits }) =>
    awaits.map(({ kind, changes, signal }) => [
      `${kind.kind} ${signal ? code(signal) : changes.join(", ")}`,
      overlay ? `with the option ${code(overlay)}` : "always",
      code(name),
      code(family),
    ]),
  );
  return table(["Event", "When", "Trigger", "Broker"], rows);
}

/** What the API server holds the account to: {@link writePolicyOf}. */
function limits({ writes, bounds = [] }: Permission): string {
  const lists = Object.entries(writes ?? {}).map(([of, names]) => `${of} ${names.map(code).join(", ")}`);
  const changes = writes ? [["progress", ...lists].join("; ")] : [];
  return [...changes, ...bounds.map(({ says }) => says)].join("; ");
}

function permissions({ permissions }: Declared): string {
  const rows = permissions.map((permission) => {
    const { resource, subresource, names, verbs, overlay } = permission;
    return [
      inWords(resource, subresource) + (names ? `, only ${names.map(code).join(", ")}` : ""),
      verbs.join(", "),
      scopeOf(permission) + (overlay ? `, with the option ${code(overlay)}` : ""),
      limits(permission),
    ];
  });
  return table(["Resource", "Verbs", "Where", "Changes only"], rows);
}

function scopeOf({ resource, ownNamespace, namespaceSetting }: Permission): string {
  if (!resource.namespaced) return "the cluster";
  if (namespaceSetting) return `the namespace of ${code(variableOf(namespaceSetting))}`;
  return ownNamespace ? "its own namespace" : "all namespaces";
}

function settings(declared: Declared): string {
  const row = ({ variable, value, values, description }: Setting, place = "") => {
    const choice = values ? ` One of ${values.map(code).join(", ")}.` : "";
    return [code(variable), value ? code(value) : "empty", `${description}${choice}${place}`];
  };
  const shared = ` In the ConfigMap ${code(settingsConfigMap(systemOf(declared)))}, for the whole system.`;
  const rows = [
    ...settingsOf(declared).map((setting) => row(setting)),
    ...commonSettingsOf([declared]).map((setting) => row(setting, shared)),
  ];
  return table(["Variable", "Default", "Meaning"], rows);
}

function systems({ systems = {} }: Declared): string {
  const rows = Object.values(systems).flatMap(({ name, doc, credentials }) => [
    [code(name), doc],
    ...Object.entries(credentials).map(([file, { doc, optional }]) => [
      `${code(file)} of Secret ${code(secretOf(name))}`,
      optional ? `${doc} It may be absent.` : doc,
    ]),
  ]);
  return table(["System or credential", "Meaning"], rows);
}

function inWords(kind: Kind, subresource?: string): string {
  const path = subresource ? `${kind.plural}/${subresource}` : kind.plural;
  return groupOf(kind) ? `${code(path)} of ${code(groupOf(kind))}` : code(path);
}
