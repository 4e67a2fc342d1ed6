import type { Decision } from "../decision.ts";
import { type ApiError, isDenied, isRefused, isWebhookAway } from "../kubernetes/api-error.ts";
import { Event } from "../kubernetes/kind.ts";
import { describe, referenceTo } from "../kubernetes/object.ts";
import { recordEvent } from "../kubernetes/record-event.ts";
import { outcomeOf } from "../outcome.ts";
import { kubernetesRefused, kubernetesUnreachable } from "../steps.ts";
import type { ExecuteContext } from "./execute-context.ts";
import type { PlannedRule } from "./plan.ts";

/**
 * Records, on the object that a decision is about, that the API server, a policy or a webhook refuses what was to be
 * written, or that a webhook does not answer: in the server's words, and since when. However often it is tried, there
 * is one Event of the rule, which stays until it expires. It is no annotation, for what refuses may refuse each write
 * to the object. Never rejects; without an effect where the rule may record no Events.
 */
export async function reportRefusal(
  { name, permissions = [] }: PlannedRule,
  { about }: Decision,
  error: ApiError,
  { client, clock, log }: ExecuteContext,
): Promise<void> {
  const isAway = isWebhookAway(error);
  const mayRecord = permissions.some(({ resource, verbs }) => resource.kind === Event.kind && verbs.includes("create"));
  if (!mayRecord || !(isAway || isRefused(error) || isDenied(error))) return;
  const event = isAway ? kubernetesUnreachable : kubernetesRefused;
  const since = new Date(clock.now()).toISOString();
  const note =
    `${describe(referenceTo(about))} waits for the API server since ${since}: ${outcomeOf(error).message} When the ` +
    "cause is removed, Holdfast goes on within one sweep.";
  await recordEvent(client, about, name, { ...event, note, distinct: name, once: true }, clock.now()).catch(
    (failure: Error) =>
      log.warn(
        { rule: name, uid: about.metadata.uid },
        `The Event ${event.reason} was not recorded: ${failure.message}`,
      ),
  );
}
