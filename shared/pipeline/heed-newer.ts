import type { Decision } from "../decision.ts";
import { describe, referenceTo } from "../kubernetes/object.ts";
import { newerProgress } from "../progress.ts";

/**
 * The decision, or in its place a stop where a version of the system that is newer by more than one has written progress on the
 * object: what that meant cannot be read here, and a rule that took it for absent might undo it. Rules of a system read each other's
 * progress, so any of them counts. The function moves on when it is rolled forward again.
 */
export function heedNewer(ruleName: string, decision: Decision): Decision {
  const { about, kind } = decision;
  const key = newerProgress(about, ruleName);
  if (key === undefined) return decision;
  const because =
    `${describe(referenceTo(about))} is left as it is, because ${key} was written by a version of Holdfast that is newer by more ` +
    `than one: roll ${ruleName} forward again, or take the annotation off to have its work begin anew.`;
  const notice = { type: "Warning", reason: "NewerProgress", action: "Read", note: because } as const;
  return { do: "stop", about, kind, because, notice };
}
