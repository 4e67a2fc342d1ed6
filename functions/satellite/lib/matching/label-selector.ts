import { meets, type Requirement } from "./requirement.ts";

type Labels = Readonly<Record<string, string>>;

/** A requirement as it is written: `a`, `!a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a>1` or `a<1`. */
const written =
  /^\s*(?:(?<absent>!)\s*)?(?<key>[\w./-]+)\s*(?:(?<sign>==?|!=|[<>])\s*(?<value>[\w.-]*)|(?<set>in|notin)\s*\((?<values>[\w.,\s-]*)\))?\s*$/;

/** What a sign or a set's word asks for, as a node affinity has it. */
const operators: Readonly<Record<string, string>> = {
  "=": "In",
  "==": "In",
  "!=": "NotIn",
  ">": "Gt",
  "<": "Lt",
  in: "In",
  notin: "NotIn",
};

/**
 * Whether labels, or annotations, are selected by the text of a label selector, in which requirements are joined by
 * commas; an empty one selects all.
 *
 * @throws Error with a sentence, where it is no label selector.
 */
export function matchesLabelText(selector: string, labels: Labels): boolean {
  if (selector.trim() === "") return true;
  // A comma within parentheses is one of a set.
  const requirements = selector.split(/,(?![^(]*\))/).map((text) => {
    const requirement = read(text);
    if (requirement) return requirement;
    throw new Error(`${JSON.stringify(text.trim())} is no requirement of a label selector, as a=b or a in (b,c).`);
  });
  return requirements.every((requirement) => meets(requirement, labels[requirement.key]));
}

function read(text: string): Requirement | undefined {
  const { absent, key, sign, value = "", set, values = "" } = written.exec(text)?.groups ?? {};
  if (key === undefined || (absent && (sign || set))) return undefined;
  if (sign) return { key, operator: operators[sign] ?? "", values: [value] };
  if (set) return { key, operator: operators[set] ?? "", values: values.split(",").map((one) => one.trim()) };
  return { key, operator: absent ? "DoesNotExist" : "Exists" };
}
