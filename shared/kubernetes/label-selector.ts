/** Whether an object's labels are selected. */
export type LabelSelector = (labels: Readonly<Record<string, string>>) => boolean;

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
export function parseLabelSelector(text: string, checks: LabelChecks = unchecked): LabelSelector {
  const tokens: string[] = [...(text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? []), ""];
  const requirements: LabelSelector[] = [];
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
    if (separator === "") return (labels) => requirements.every((matches) => matches(labels));
    if (separator !== ",") throw new LabelSelectorError(`found '${separator}', expected: ',' or 'end of string'`);
    if (!isWord(peek()) && peek() !== "!")
      throw new LabelSelectorError(`found '${peek()}', expected: identifier after ','`);
  }

  function requirement(): LabelSelector {
    const absent = peek() === "!" && take() === "!";
    const key = take();
    if (!isWord(key)) throw unparsable(`found '${key}', expected: identifier`);
    const problem = checks.key(key);
    if (problem) throw unparsable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`);
    if (absent) return (labels) => !Object.hasOwn(labels, key);
    if (peek() === "" || peek() === ",") return (labels) => Object.hasOwn(labels, key);
    return comparison(key, take());
  }

  function comparison(key: string, operator: string): LabelSelector {
    const labelOf = (labels: Readonly<Record<string, string>>) =>
      Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case "=":
      case "==": {
        const wanted = exactValue(key);
        return (labels) => labelOf(labels) === wanted;
      }
      case "!=": {
        const unwanted = exactValue(key);
        return (labels) => labelOf(labels) !== unwanted;
      }
      case "in": {
        const wanted = valueSet(key);
        return (labels) => wanted.has(labelOf(labels));
      }
      case "notin": {
        const unwanted = valueSet(key);
        return (labels) => !unwanted.has(labelOf(labels));
      }
      case ">":
      case "<": {
        const bound = integer(exactValue(key));
        return (labels) => {
          const value = labelOf(labels) ?? "";
          if (!/^[-+]?\d+$/.test(value)) return false;
          return operator === ">" ? Number(value) > bound : Number(value) < bound;
        };
      }
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

  function valueSet(key: string): Set<string | undefined> {
    const values = new Set<string | undefined>();
    const open = take();
    if (open !== "(") throw unparsable(`found '${open}' expected: '('`);
    for (;;) {
      // An empty place, as in `(,b)`, stands for the empty value.
      if (isWord(peek())) values.add(checked(key, take()));
      else values.add("");
      const separator = take();
      if (separator === ")") return values;
      if (separator !== ",") throw unparsable(`found '${separator}', expected: ',' or ')'`);
    }
  }
}

const isWord = (token: string) => token !== "" && !/^[=!(),<>]/.test(token);
const unparsable = (why: string) => new LabelSelectorError(`unable to parse requirement: ${why}`);

function integer(text: string): number {
  if (/^[-+]?\d+$/.test(text)) return Number(text);
  throw unparsable(
    `values[0]: Invalid value: ${JSON.stringify(text)}: for 'Gt', 'Lt' operators, the value must be an integer`,
  );
}
