import type { ZodObject } from "zod";
import type { Rule } from "../rule.ts";
import type { Systems } from "../system/system.ts";
import type { Observe } from "./observe.ts";

/** The rule, with its look and its decision observed; the rule itself where there is no telemetry. */
export function observedRule<Schema extends ZodObject, Facts, Used extends Systems>(
  rule: Rule<Schema, Facts, Used>,
  observe: Observe | undefined,
): Rule<Schema, Facts, Used> {
  if (!observe) return rule;
  return {
    ...rule,
    look: (subject, view) => observe({ name: "look" }, () => rule.look(subject, view)),
    decide: (facts, now, settings) => observe({ name: "decide" }, () => rule.decide(facts, now, settings)),
  };
}
