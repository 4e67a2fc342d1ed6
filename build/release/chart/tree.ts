import { sameJson } from "../../../shared/same-json.ts";
import { type Condition, holds } from "./condition.ts";

/** What stands for an entry that is not there. */
export const absent = Symbol("absent");

/** One of two subtrees, by the chart's values. */
export class Choice {
  readonly when: Condition;
  readonly met: Tree | typeof absent;
  readonly otherwise: Tree | typeof absent;

  constructor(when: Condition, met: Tree | typeof absent, otherwise: Tree | typeof absent) {
    this.when = when;
    this.met = met;
    this.otherwise = otherwise;
  }
}

/** What Helm puts in the place of a value: the text of a template that makes one line of YAML. */
export class Expression {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Lines of a template between the entries of a list, as they are. */
export class Lines {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }
}

/** A text of several lines, some of which are lines of a template. */
export class Text {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A Kubernetes object of which parts depend on the chart's values. */
export type Tree = string | number | boolean | null | Choice | Expression | Lines | Text | readonly Tree[] | TreeMap;

export interface TreeMap {
  readonly [key: string]: Tree;
}

type Part = Tree | typeof absent;

/** Whether it is a map of a tree, and neither a list nor what Helm decides. */
export const isMap = (part: Part | undefined): part is TreeMap =>
  typeof part === "object" &&
  part !== null &&
  !Array.isArray(part) &&
  ![Choice, Expression, Lines, Text].some((leaf) => part instanceof leaf);

/**
 * Has a tree become `after` where it was `before`, when `when` holds. Both are what the object is in `context`, without
 * and with what `when` adds. Only what differs is put under the condition, so that one change leaves room for others.
 */
export function vary(tree: Part, before: Part, after: Part, when: Condition, context: ReadonlySet<string>): Part {
  if (before === after || (before !== absent && after !== absent && sameJson(before, after))) return tree;
  if (tree instanceof Choice) {
    const { met, otherwise } = tree;
    return holds(tree.when, context)
      ? new Choice(tree.when, vary(met, before, after, when, context), otherwise)
      : new Choice(tree.when, met, vary(otherwise, before, after, when, context));
  }
  if (isMap(tree) && isMap(before) && isMap(after)) {
    const keys = new Set([...Object.keys(tree), ...Object.keys(after)]);
    const entries = [...keys].map((key) => [
      key,
      vary(tree[key] ?? absent, before[key] ?? absent, after[key] ?? absent, when, context),
    ]);
    return Object.fromEntries(entries);
  }
  if (Array.isArray(tree) && Array.isArray(before) && Array.isArray(after))
    return varyList(tree, before, after, when, context) ?? new Choice(when, after, tree);
  return new Choice(when, after, tree);
}

/** `undefined` where items have both gone and come, so that they cannot be matched. */
function varyList(
  tree: readonly Tree[],
  before: readonly Tree[],
  after: readonly Tree[],
  when: Condition,
  context: ReadonlySet<string>,
): Tree | undefined {
  // Which item of the tree each item of `before` is.
  const present = tree.flatMap((item, index) => (isThere(item, context) ? [index] : []));
  if (present.length !== before.length) throw new Error("A list is not what its tree says that it is.");
  const pairs = before.map((item, index) => [item, after[index] as Tree] as const);
  if (before.length <= after.length) {
    if (before.length < after.length && !pairs.every(([old, young]) => isSame(old, young))) return undefined;
    const varied = tree.map((item, index) => {
      const pair = pairs[present.indexOf(index)];
      return pair ? (vary(item, ...pair, when, context) as Tree) : item;
    });
    return [...varied, ...after.slice(before.length).map((item) => new Choice(when, item, absent))];
  }
  const gone = new Set<number>();
  let kept = 0;
  for (const [index, item] of before.entries())
    if (kept < after.length && sameJson(item, after[kept])) kept += 1;
    else gone.add(present[index] as number);
  if (kept < after.length) return undefined;
  return tree.map((item, index) => (gone.has(index) ? new Choice(when, absent, item) : item));
}

/** Whether the one item is what has become of the other: environment variables and the like go by their names. */
const isSame = (one: Tree, other: Tree) =>
  sameJson(one, other) || (isMap(one) && isMap(other) && one.name !== undefined && one.name === other.name);

function isThere(part: Part, context: ReadonlySet<string>): boolean {
  if (!(part instanceof Choice)) return part !== absent;
  return isThere(holds(part.when, context) ? part.met : part.otherwise, context);
}
