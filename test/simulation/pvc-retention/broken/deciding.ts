import type { ZodObject } from "zod";
import type { Decision } from "../../../../shared/decision.ts";
import type { SetAndClaims, TemplateClaim } from "../../../../shared/retention/look-at-set.ts";
import type { Rule } from "../../../../shared/rule.ts";
import { starting } from "../../broken/broken.ts";

type Looked = SetAndClaims | undefined;

/** Starts a rule that judges a set otherwise than it was looked at. */
export const seeing = <Schema extends ZodObject, Facts extends Looked>(
  rule: Rule<Schema, Facts>,
  see: (facts: NonNullable<Facts>) => Facts,
) =>
  starting({
    ...rule,
    look: async (subject, view) => {
      const facts = await rule.look(subject, view);
      return facts ? see(facts) : facts;
    },
  });

/** Starts a rule that judges claims of a set otherwise than they are; `undefined` leaves one out. */
export const seeingClaims = <Schema extends ZodObject, Facts extends Looked>(
  rule: Rule<Schema, Facts>,
  see: (claim: TemplateClaim, facts: NonNullable<Facts>) => TemplateClaim | undefined,
) => seeing(rule, (facts) => ({ ...facts, claims: facts.claims.flatMap((claim) => see(claim, facts) ?? []) }));

/** Starts a rule that makes something else of what it has decided. */
export const deciding = <Schema extends ZodObject, Facts>(
  rule: Rule<Schema, Facts>,
  change: (decisions: readonly Decision[], facts: Facts, now: number) => readonly Decision[],
) => starting({ ...rule, decide: (facts, now, settings) => change(rule.decide(facts, now, settings), facts, now) });
