import type { Decision } from "../decision.ts";
import { describe, referenceTo } from "../kubernetes/object.ts";
import { hasNewerProgress, progressKey } from "../progress.ts";
import { progressNameOf, type Rule } from "../rule.ts";
import { newerProgress } from "../steps.ts";

/**
 * For rules that act upon their progress: the decision, or in its place a stop where a version that is newer by more
 * than one has written progress on the object. What that meant cannot be read here, and a rule that took it for absent
 * might do twice what may be done once. It moves on when the function is rolled forward again.
 */
export function stopOnNewerProgress(rule: Pick<Rule, "name" | "progressName">, decision: Decision): Decision {
  const { about, kind } = decision;
  const progressName = progressNameOf(rule);
  // A rule that sees it by itself says what to do in its own words.
  const isStopped = decision.do === "stop" && decision.event === newerProgress;
  if (isStopped || !hasNewerProgress(about, progressName)) return decision;
  const message =
    `${describe(referenceTo(about))} is left as it is, because ${progressKey(progressName)} was written by a ` +
    `version of Holdfast that is newer than the next one: roll ${writersOf(rule)} forward again, or remove the ` +
    "annotation to start its work from the beginning.";
  return { do: "stop", about, kind, message, event: newerProgress };
}

/** Rules that share their progress say the same sentence, or each of them would replace the Event of the others. */
const writersOf = ({ name, progressName }: Pick<Rule, "name" | "progressName">) =>
  progressName === undefined ? name : `the functions of ${progressName.slice(0, progressName.indexOf("/"))}`;
