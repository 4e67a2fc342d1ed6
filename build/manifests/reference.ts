import type { Permission } from "../../shared/declaration.ts";
import { Event, groupOf, type Kind } from "../../shared/kubernetes/kind.ts";
import { variableOf } from "../../shared/settings.ts";
import { type Declared, systemOf } from "./declared.ts";
import { mountedSecrets, secretOf, settingsConfigMap } from "./environment.ts";
import { code, compactTable, table } from "./markdown-table.ts";
import { commonSettingsOf, type Setting, settingsOf } from "./settings.ts";
import { watchedKinds } from "./sources.ts";
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

/**
 * What `docs/permissions.md` says: of each system, which kinds it may write; of each function, what its account may do
 * and why, and what limits it.
 */
export function permissionTables(functions: readonly Declared[]): Tables {
  const systems = Map.groupBy(functions, systemOf);
  return {
    summary: compactTable(
      ["System", "Patches", "Creates", "Deletes", "Secrets in its pods"],
      [...systems].map(summary),
    ),
    functions: [...systems].map(([system, of]) => `\n### ${code(system)}\n${of.map(account).join("")}\n`).join(""),
  };
}

/** The kinds that any function of a system may write, without Events, and the Secrets of its pods. */
function summary([system, functions]: readonly [string, readonly Declared[]]): readonly string[] {
  const permissions = functions
    .flatMap((declared) => declared.permissions)
    .filter(({ resource }) => resource !== Event);
  const kinds = (verb: Permission["verbs"][number]) =>
    permissions
      .filter(({ verbs }) => verbs.includes(verb))
      .map(({ resource, overlay }) => resource.kind + (overlay ? ` (with the option ${code(overlay)})` : ""));
  const secrets = functions.flatMap(mountedSecrets).map((name) => code(secretOf(name)));
  const columns = [kinds("patch"), kinds("create"), kinds("delete"), secrets];
  return [`[${system}](#${system})`, ...columns.map((names) => [...new Set(names)].sort().join(", ") || "none")];
}

function account(declared: Declared): string {
  const own = declared.permissions;
  const limitedBy = [
    ...(own.some((one) => !inOneNamespace(one)) ? ["ClusterRole"] : []),
    ...(own.some(inOneNamespace) ? ["Role"] : []),
    ...(writePolicyOf(declared).length > 0 ? ["policy"] : []),
  ];
  const rights = rightsOf(own);
  const table =
    rights.length > 0 ? compactTable(["Right", "Limited to", "Why"], rights) : "It has no rights of its own.\n";
  const by = limitedBy.length > 0 ? `. Limited by: ${limitedBy.join(", ")}` : "";
  const mounted = mountedSecrets(declared).map((name) => code(secretOf(name)));
  const secrets = mounted.length > 0 ? `\nMounted in its pod: the Secret ${mounted.join(" and the Secret ")}.` : "";
  return (
    `\n#### ${declared.name}\n\n[What it guarantees](../functions/${declared.name}/README.md)${by}.${secrets}` +
    `\n\n${table}`
  );
}

/** Kinds that differ in nothing else share a row. */
function rightsOf(permissions: readonly Permission[]): readonly (readonly string[])[] {
  const rows = permissions.map((permission) => {
    const { resource, subresource, verbs, overlay, why } = permission;
    const only = [placeOf(permission), limits(permission), ...(resource === Event ? [ownEvents] : [])].filter(Boolean);
    const option = overlay ? ` (with the option ${code(overlay)})` : "";
    return {
      kind: sharedNames.includes(resource.kind) ? `${resource.kind} of ${code(groupOf(resource))}` : resource.kind,
      right: `${subresource ? ` ${subresource}` : ""}: ${verbs.join(", ")}${option}`,
      only: only.join("; ") || "any",
      why,
    };
  });
  const alike = Map.groupBy(rows, ({ right, only, why }) => JSON.stringify([right, only, why]));
  return [...alike.values()].map((all) => {
    const [first] = all as [(typeof rows)[number]];
    return [`${all.map(({ kind }) => kind).join(", ")}${first.right}`, first.only, first.why];
  });
}

/** Kinds of other groups that the core group has, too: people would take one for the other. */
const sharedNames: readonly string[] = ["Event", "Service"];

const ownEvents = "creates and deletes Events of its own and its system";

const inOneNamespace = ({ ownNamespace, namespaceSetting }: Permission) =>
  ownNamespace !== undefined || namespaceSetting !== undefined;

const placeOf = ({ ownNamespace, namespaceSetting, names }: Permission) =>
  [
    ...(names ? [`only ${names.map(code).join(", ")}`] : []),
    ...(ownNamespace ? ["its own namespace"] : []),
    ...(namespaceSetting ? [`the namespace of ${code(variableOf(namespaceSetting))}`] : []),
  ].join("; ");

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
function limits({ subresource, verbs, writes, bounds = [] }: Permission): string {
  const named = Object.entries(writes ?? {}).filter(([, names]) => names.length > 0);
  const lists = named.map(([of, names]) => `${of} ${names.map(code).join(", ")}`);
  const own = verbs.includes("patch") && !subresource ? ["progress"] : [];
  const changes = writes ? [...own, ...lists] : [];
  return [...changes, ...new Set(bounds.map(({ says }) => says))].join("; ");
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
