/** A value of the chart that is on, or not. */
export interface Literal {
  /** Its path in the chart's values, such as `["systems", "volume"]`. */
  readonly path: readonly string[];
  /** `false`: it must be off. */
  readonly on: boolean;
}

/** What must hold together. */
export type Condition = readonly Literal[];

export const on = (...path: readonly string[]): Literal => ({ path, on: true });
export const off = (...path: readonly string[]): Literal => ({ path, on: false });

/** One word for a path, by which contexts name what is on in them. */
export const wordOf = (path: readonly string[]): string => path.join(" ");

/** Whether all of it holds where exactly these values are on. */
export function holds(condition: Condition, context: ReadonlySet<string>): boolean {
  return condition.every((literal) => context.has(wordOf(literal.path)) === literal.on);
}

/** As Helm's templates have it. Keys have dashes and slashes, which only `index` takes. */
export function toTemplate(condition: Condition): string {
  const terms = condition.map(({ path, on }) => {
    const value = `(index $.Values ${path.map((key) => JSON.stringify(key)).join(" ")})`;
    return on ? value : `(not ${value})`;
  });
  return terms.length === 1 ? (terms[0] as string) : `and ${terms.join(" ")}`;
}
