import { stringify } from "yaml";
import { toTemplate } from "./condition.ts";
import { absent, Choice, Expression, isMap, Lines, Text, type Tree } from "./tree.ts";

/**
 * A tree as the lines of a template of Helm's, which are YAML with any values.
 *
 * @throws Error where the object has text that Helm would take for a template of its own
 */
export function toLines(tree: Tree): readonly string[] {
  if (tree instanceof Lines) return tree.lines;
  if (isMap(tree) && Object.keys(tree).length > 0)
    return Object.entries(tree).flatMap(([key, value]) => entryLines(value, (part) => keyed(key, part)));
  if (Array.isArray(tree) && tree.length > 0)
    return tree.flatMap((item: Tree) => (item instanceof Lines ? item.lines : entryLines(item, listed)));
  return plain(tree);
}

/** An entry of a map or a list, under the conditions that it has. */
function entryLines(part: Tree | typeof absent, write: (tree: Tree) => readonly string[]): readonly string[] {
  if (part === absent) return [];
  if (!(part instanceof Choice)) return write(part);
  const then = entryLines(part.met, write);
  const otherwise = entryLines(part.otherwise, write);
  const fallback = otherwise.length > 0 ? ["{{- else }}", ...otherwise] : [];
  return [`{{- if ${toTemplate(part.when)} }}`, ...then, ...fallback, "{{- end }}"];
}

function keyed(key: string, tree: Tree): readonly string[] {
  if (tree instanceof Expression) return [`${plain(key)[0]}: ${tree.text}`];
  if (tree instanceof Text) {
    const lines = tree.text.split("\n");
    const isEnded = lines.at(-1) === "";
    return [`${plain(key)[0]}: ${isEnded ? "|" : "|-"}`, ...indented(isEnded ? lines.slice(0, -1) : lines)];
  }
  return isNested(tree) ? [`${plain(key)[0]}:`, ...indented(toLines(tree))] : plain({ [key]: tree });
}

function listed(tree: Tree): readonly string[] {
  if (tree instanceof Expression) return [`- ${tree.text}`];
  if (!isNested(tree)) return plain([tree]);
  const lines = toLines(tree);
  const [first = "", ...rest] = lines;
  // A condition must not stand behind the dash: it takes the space before it away.
  return first.startsWith("{{-") ? ["-", ...indented(lines)] : [`- ${first}`, ...indented(rest)];
}

const isNested = (tree: Tree) => (isMap(tree) || Array.isArray(tree)) && Object.keys(tree).length > 0;

const indented = (lines: readonly string[]) => lines.map((line) => (line === "" ? line : `  ${line}`));

/** YAML that readers of YAML 1.1, as Helm is, and of YAML 1.2 understand alike. */
function plain(value: unknown): readonly string[] {
  const text = stringify(value, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false }).replace(/\n$/, "");
  if (text.includes("{{")) throw new Error(`Helm would take this for a template: ${text}`);
  return text.split("\n");
}
