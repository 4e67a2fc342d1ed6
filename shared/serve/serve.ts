import type { ZodObject } from "zod";
import { receive } from "../pipeline/receive.ts";
import type { Rule } from "../rule.ts";
import { serveFunction } from "./serve-function.ts";

/** Runs a rule as a Knative function. */
export function serve<Schema extends ZodObject, Facts>(rule: Rule<Schema, Facts>): void {
  serveFunction(rule, (tools) => receive(rule, tools));
}
