import { isDeepStrictEqual } from "node:util";
import { fieldOf, isFields } from "../../../shared/kubernetes/fields.ts";

type Step = (values: unknown[]) => unknown[];

/**
 * Reads a printer column's JSON path: the part of kubectl's dialect that a CustomResourceDefinition may use, which is
 * members (`.a.b`, `['a']`, dots escaped by a backslash), indices, `[*]` and `[?(@.a=="b")]`. A path of another form
 * finds nothing.
 */
export function jsonPath(path: string): (object: unknown) => unknown[] {
  const steps = parse(path);
  return (object) => steps?.reduce((values, step) => step(values), [object]) ?? [];
}

const token =
  /\.?\[\s*(?:'([^']*)'|"([^"]*)"|(-?\d+)|(\*)|\?\(\s*@([^=!<>\s]*)\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)"|([\w.-]+))\s*\))\s*\]|\.((?:\\.|[^.[\\])+)/y;

function parse(path: string): Step[] | undefined {
  const steps: Step[] = [];
  const next = new RegExp(token);
  while (next.lastIndex < path.length) {
    const match = next.exec(path);
    if (!match) return undefined;
    steps.push(stepOf(match));
  }
  return steps;
}

function stepOf([
  ,
  single,
  double,
  index,
  star,
  member,
  operator,
  singleText,
  doubleText,
  bare,
  name,
]: RegExpExecArray): Step {
  if (star) return (values) => values.flatMap(children);
  if (index !== undefined) return (values) => values.flatMap((value) => elementAt(value, Number(index)));
  if (operator) {
    const read = jsonPath(member ?? "");
    const wanted = singleText ?? doubleText ?? literal(bare ?? "");
    const equal = operator === "==";
    return (values) =>
      values.flatMap(children).filter((item) => {
        const [found] = read(item);
        return found !== undefined && isDeepStrictEqual(found, wanted) === equal;
      });
  }
  const key = single ?? double ?? (name ?? "").replace(/\\(.)/g, "$1");
  return (values) =>
    values.flatMap((value) => (isFields(value) && Object.hasOwn(value, key) ? [fieldOf(value, key)] : []));
}

const children = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : isFields(value) ? Object.values(value) : [];

function elementAt(value: unknown, index: number): unknown[] {
  if (!Array.isArray(value)) return [];
  const item: unknown = value.at(index);
  return item === undefined ? [] : [item];
}

function literal(word: string): unknown {
  if (word === "true" || word === "false") return word === "true";
  const number = Number(word);
  return Number.isNaN(number) ? word : number;
}
