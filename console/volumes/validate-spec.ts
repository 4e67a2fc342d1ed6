import { Environment } from "@marcbachmann/cel-js";
import * as z from "zod";
import { volumeSpec } from "../../functions/volume/lib/schema.ts";

/** What is wrong with a field, as the API server would say it. */
export interface Problem {
  /** `sparseLoopDevice.size`; empty for the whole. */
  readonly field: string;
  readonly message: string;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string; readonly message: string }[];
}

/** The schema that the CustomResourceDefinition is generated from, its rules in CEL included. */
const schema = z.toJSONSchema(volumeSpec, { io: "input", unrepresentable: "any" }) as Schema;
const environment = new Environment({ unlistedVariablesAreDyn: true });

/** What the API server would find wrong with a Volume's spec when it is created. */
export function problemsOf(spec: object): readonly Problem[] {
  const parsed = volumeSpec.safeParse(spec);
  const wrong = (parsed.error?.issues ?? []).map(({ path, message }) => ({ field: path.join("."), message }));
  const hasShape = (field: string) =>
    !wrong.some((one) => field === "" || one.field === field || one.field.startsWith(`${field}.`));
  return [...wrong, ...brokenRules(schema, spec, "", hasShape)];
}

/** Rules are for what has the right shape: a form complains of a field before the others are filled in. */
function brokenRules(
  schema: Schema,
  value: unknown,
  field: string,
  hasShape: (field: string) => boolean,
): readonly Problem[] {
  if (value === undefined) return [];
  const rules = hasShape(field) ? (schema["x-kubernetes-validations"] ?? []) : [];
  const own = rules
    // There is no former value to compare with.
    .filter(({ rule }) => !rule.includes("oldSelf"))
    .filter(({ rule }) => environment.evaluate(rule, { self: inCel(value) }) !== true)
    .map(({ message }) => ({ field, message }));
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
    brokenRules(inner, (value as Record<string, unknown>)[name], field ? `${field}.${name}` : name, hasShape),
  );
  return [...own, ...fields];
}

/** Numbers of JSON are whole numbers in CEL where they have no fraction. */
const inCel = (value: unknown): unknown => (Number.isInteger(value) ? BigInt(value as number) : value);
