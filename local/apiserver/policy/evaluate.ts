import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { objectsIn } from "../kinds/fields.ts";
import { remember } from "../remember.ts";
import { type Converted, compile, type Evaluate, ExpressionError } from "./expression.ts";
import { type AdmissionRequest, requestVariable } from "./request.ts";

/** A condition that is false decides, also if others could not be evaluated. */
export function conditionsHold(spec: Fields, request: AdmissionRequest): boolean {
  let failure: unknown;
  for (const { expression } of objectsIn(spec, "matchConditions")) {
    try {
      if (evaluate(String(expression), spec, request) !== true) return false;
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return true;
}

/** What an expression of a policy comes to; throws {@link ExpressionError}. */
export function evaluate(expression: string, spec: Fields, request: AdmissionRequest): unknown {
  const known = {
    object: request.object ?? null,
    oldObject: request.oldObject ?? null,
    request: requestVariable(request),
    namespaceObject: request.namespaceObject ?? null,
    params: request.params ?? null,
  };
  const converted = convertedFor(request);
  const { values, failure } = ownVariables(expression, spec, known, converted);
  try {
    return evaluateOne(expression, { ...known, variables: values }, converted);
  } catch (error) {
    // Of a variable that failed nothing is said where nothing depended on it.
    throw error instanceof ExpressionError ? (failure ?? error) : error;
  }
}

/** What the objects of a request are in CEL: many expressions judge them, and none of them changes one. */
const convertedFor = remember((_: AdmissionRequest): Converted => new WeakMap());

/** By policy and expression, the policy's variables that the expression names, or that one of these does. */
const namedVariables = remember((spec: Fields) =>
  remember((expression: string): readonly Fields[] => {
    const all = objectsIn(spec, "variables");
    const needed = new Set<unknown>();
    const need = (text: string) => {
      for (const variable of all) {
        if (needed.has(variable.name) || !new RegExp(`\\bvariables\\.\\??${variable.name}\\b`).test(text)) continue;
        needed.add(variable.name);
        need(String(variable.expression));
      }
    };
    need(expression);
    return all.filter(({ name }) => needed.has(name));
  }, new Map()),
);

/** The policy's variables as far as an expression names them, and how one of them failed. */
function ownVariables(expression: string, spec: Fields, known: Parameters<Evaluate>[0], converted: Converted) {
  const values: Fields = {};
  let failure: ExpressionError | undefined;
  for (const variable of namedVariables(spec)(expression)) {
    try {
      const variables = { ...known, variables: { ...values } };
      values[String(variable.name)] = evaluateOne(String(variable.expression), variables, converted);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      failure ??= error;
    }
  }
  return { values, failure };
}

/** Only what an expression names is converted for it: objects are large, and most expressions ask who has sent them. */
function evaluateOne(expression: string, variables: Parameters<Evaluate>[0], converted: Converted): unknown {
  const named = Object.entries(variables).filter(([name]) => expression.includes(name));
  try {
    return compile(expression)(Object.fromEntries(named), converted);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new ExpressionError(`expression '${expression}' resulted in error: ${error.message}`, { cause: error });
  }
}
