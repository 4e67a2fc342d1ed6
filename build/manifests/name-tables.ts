import type { NameMeaning, WrittenNames } from "../../shared/written-names.ts";
import { type Declared, systemOf } from "./declared.ts";
import { code, table } from "./markdown-table.ts";
import type { Tables } from "./reference.ts";

const lists = ["annotations", "labels", "finalizers"] as const;
type List = (typeof lists)[number];

/** What functions write on objects, beside their own progress: each name once for each kind and function. */
const writtenBy = (functions: readonly Declared[], list: List | "fields") =>
  functions.flatMap((declared) =>
    declared.permissions.flatMap(({ resource, writes = {} }) =>
      (writes[list] ?? [])
        .filter((name) => name !== "*")
        .map((name) => ({ name, kind: resource.kind, declared, system: systemOf(declared) })),
    ),
  );

/** The kinds of the objects on which a system writes conditions. */
const kindsWithStatus = (functions: readonly Declared[], system: string) =>
  functions
    .filter((declared) => systemOf(declared) === system)
    .flatMap(({ permissions }) => permissions.filter(({ subresource }) => subresource === "status"))
    .map(({ resource }) => resource.kind);

/** What `docs/names.md` says of what functions write on objects, beside their own progress. */
export function nameTables(functions: readonly Declared[], names: readonly WrittenNames[]): Tables {
  const rowsOf = (list: List | "fields", meaningOf?: (name: string) => NameMeaning | undefined) => {
    const alike = Map.groupBy(writtenBy(functions, list), ({ name }) => name);
    const rows = [...alike].map(([name, all]) => {
      const on = [...new Set(all.map(({ kind }) => kind))].join(", ");
      const by = [...new Set(all.map(({ declared }) => `[${declared.name}](../functions/${declared.name}/README.md)`))];
      const { means = "", ifChanged = "" } = meaningOf?.(name) ?? {};
      return [code(name), on, ...(meaningOf ? [means, ifChanged] : []), by.join(", ")];
    });
    return rows.sort(byName);
  };
  const tableOf = (list: List) => {
    const meanings = new Map(names.flatMap((one) => Object.entries(one[list] ?? {})));
    const head = ["Name", "On", "What it means", "If you change or remove it", "Written by"];
    return table(
      head,
      rowsOf(list, (name) => meanings.get(name)),
    );
  };
  const conditions = names.flatMap((one) => one.conditions ?? []);
  const rows = conditions.map(({ type, on, says, statuses }) => [code(type), on.join(", "), says, inWords(statuses)]);
  return {
    ...Object.fromEntries(lists.map((list) => [list, tableOf(list)])),
    fields: table(["Name", "On", "Written by"], rowsOf("fields")),
    conditions: table(["Condition", "On", "What it says", "Its statuses"], rows),
  };
}

const inWords = (statuses: NonNullable<WrittenNames["conditions"]>[number]["statuses"]) =>
  typeof statuses === "string"
    ? statuses
    : Object.entries(statuses)
        .map(([status, text]) => `**${status}**: ${text}`)
        .join(" ");

/** Names that are written and have no meaning, and meanings of what is not written, in a sentence each. */
export function nameFaults(functions: readonly Declared[], names: readonly WrittenNames[]): readonly string[] {
  const of = (list: List) => {
    const written = writtenBy(functions, list);
    const explained = names.flatMap((one) => Object.keys(one[list] ?? {}).map((name) => ({ system: one.name, name })));
    return [
      ...written.filter(({ name }) => !explained.some((one) => one.name === name)).map((one) => lacks(one, list)),
      ...explained
        .filter((one) => !written.some(({ name, system }) => name === one.name && system === one.system))
        .map(({ system, name }) => `${fileOf(system)} explains ${name}, which no rule of the system writes.`),
    ];
  };
  const conditions = systemsOf(functions).flatMap((system) => {
    const said = names.find(({ name }) => name === system)?.conditions?.flatMap(({ on }) => on) ?? [];
    const written = kindsWithStatus(functions, system);
    return [
      ...written
        .filter((kind) => !said.includes(kind))
        .map((kind) => `${fileOf(system)} must say which conditions a ${kind} has.`),
      ...said
        .filter((kind) => !written.includes(kind))
        .map((kind) => `${fileOf(system)} has a condition of ${kind}, whose status no rule of the system writes.`),
    ];
  });
  return [...new Set([...lists.flatMap(of), ...conditions])];
}

const systemsOf = (functions: readonly Declared[]) => [...new Set(functions.map(systemOf))];
const fileOf = (system: string) => `functions/${system}/written-names.ts`;
const lacks = ({ name, system }: { readonly name: string; readonly system: string }, list: List) =>
  `${fileOf(system)} must say under "${list}" what ${name} means, and what happens if a person changes it.`;

const byName = ([one = ""]: readonly string[], [other = ""]: readonly string[]) => (one < other ? -1 : 1);
