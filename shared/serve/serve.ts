import type { ZodObject } from "zod";
import { receive } from "../pipeline/receive.ts";
import type { Rule } from "../rule.ts";
import type { Systems } from "../system/system.ts";
import { observedRule } from "../telemetry/observed-rule.ts";
import { serveFunction } from "./serve-function.ts";

/** Runs a rule as a Knative function. */
export function serve<Schema extends ZodObject, Facts, Used extends Systems>(rule: Rule<Schema, Facts, Used>): void {
  serveFunction(rule, (tools) => receive(observedRule(rule, tools.observe), tools));
}
