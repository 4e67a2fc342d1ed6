import { type Labels, meetsLabels } from "./label-selector.ts";
import { type Requirement, readInteger } from "./requirement.ts";

/** Whether an object's labels are selected. */
export type LabelPredicate = (labels: Labels) => boolean;

/** A text that is no label selector: why, in the API server's words. */
export class LabelSelectorError extends Error {
  override readonly name = "LabelSelectorError";
}

/** What is wrong with a key, or a value of a key, in the API server's words; `undefined` when nothing is. */
export interface LabelChecks {
  key(key: string): string | undefined;
  value(value: string): string | undefined;
}

const unchecked: LabelChecks = { key: () => undefined, value: () => undefined };

/**
 * Reads the text of a label selector as Kubernetes does: `a`, `!a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`,
 * `a>1`, `a<1`, joined by commas. `!=` and `notin` also select objects without the label; an empty text selects all.
 *
 * @throws LabelSelectorError where it is none.
 */
export function parseLabelSelector(text: string, checks: LabelChecks = unchecked): LabelPredicate {
  const tokens: string[] = [...(text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? []), ""];
  const requirements: Requirement[] = [];
  let at = 0;
  const peek = () => tokens[at] ?? "";
  const take = () => tokens[at++] ?? "";

  if (peek() === "") return () => true;
  for (;;) {
    if (!isWord(peek()) && peek() !== "!") {
      throw new LabelSelectorError(`found '${peek()}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(requirement());
    const separator = take();
    if (separator === "") return (labels) => requirements.every((one) => meetsLabels(one, labels));
    if (separator !== ",") throw new LabelSelectorError(`found '${separator}', expected: ',' or 'end of string'`);
    if (!isWord(peek()) && peek() !== "!")
      throw new LabelSelectorError(`found '${peek()}', expected: identifier after ','`);
  }

  function requirement(): Requirement {
    const absent = peek() === "!" && take() === "!";
    const key = take();
    if (!isWord(key)) throw unparsable(`found '${key}', expected: identifier`);
    const problem = checks.key(key);
    if (problem) throw unparsable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`);
    if (absent) return { key, operator: "DoesNotExist" };
    if (peek() === "" || peek() === ",") return { key, operator: "Exists" };
    return comparison(key, take());
  }

  function comparison(key: string, operator: string): Requirement {
    switch (operator) {
      case "=":
      case "==":
        return { key, operator: "In", values: [exactValue(key)] };
      case "!=":
        return { key, operator: "NotIn", values: [exactValue(key)] };
      case "in":
        return { key, operator: "In", values: valueSet(key) };
      case "notin":
        return { key, operator: "NotIn", values: valueSet(key) };
      case ">":
        return { key, operator: "Gt", values: [integer(exactValue(key))] };
      case "<":
        return { key, operator: "Lt", values: [integer(exactValue(key))] };
    }
    throw unparsable(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }

  function exactValue(key: string): string {
    if (peek() === "" || peek() === ",") return "";
    const value = take();
    if (!isWord(value)) throw unparsable(`found '${value}', expected: identifier`);
    return checked(key, value);
  }

  function checked(key: string, value: string): string {
    const problem = checks.value(value);
    if (problem) throw unparsable(`values[0][${key}]: Invalid value: ${JSON.stringify(value)}: ${problem}`);
    return value;
  }

  function valueSet(key: string): string[] {
    const values: string[] = [];
    const open = take();
    if (open !== "(") throw unparsable(`found '${open}' expected: '('`);
    for (;;) {
      // An empty place, as in `(,b)`, stands for the empty value.
      if (isWord(peek())) values.push(checked(key, take()));
      else values.push("");
      const separator = take();
      if (separator === ")") return values;
      if (separator !== ",") throw unparsable(`found '${separator}', expected: ',' or ')'`);
    }
  }
}

const isWord = (token: string) => token !== "" && !/^[=!(),<>]/.test(token);
const unparsable = (why: string) => new LabelSelectorError(`unable to parse requirement: ${why}`);

function integer(text: string): string {
  if (readInteger(text) !== undefined) return text;
  throw unparsable(
    `values[0]: Invalid value: ${JSON.stringify(text)}: for 'Gt', 'Lt' operators, the value must be an integer`,
  );
}
