import { isOurs } from "../../invariants/invariant.ts";
import { claimsOf, environmentOf, has, type LivenessCheck, wasStripped } from "../../liveness/liveness-check.ts";
import { inTree } from "../may-run.ts";
import { ours, progress } from "../protection.ts";

/**
 * Only a claim that is being deleted and waits for us carries progress of ours; what a user wrote there is the user's,
 * and what was written under settings that a user took back goes with the claim.
 */
export const progressGoes: LivenessCheck = {
  name: "progress-goes",
  check(truth) {
    for (const claim of claimsOf(truth)) {
      const { annotations, labels, uid, name, deletionTimestamp } = claim.metadata;
      const said = annotations?.[progress];
      const writer = truth.changes.find(
        ({ after }) => after?.metadata.uid === uid && after.metadata.annotations?.[progress] === said,
      );
      if (said === undefined || !writer || !isOurs(writer) || wasStripped(truth, uid, ours(truth))) continue;
      const inTreeSetting = environmentOf(truth, "pvc-protection-release").IN_TREE ?? "present";
      if (writer.by.process.environment.IN_TREE !== inTreeSetting) continue;
      if (!deletionTimestamp || !(has(claim, ours(truth)) || (inTreeSetting === "absent" && has(claim, inTree))))
        return `Claim ${name} carries progress of ours, although it does not wait for us.`;
      // The label is shared: another rule's due time may be on the claim.
      const isDue = Object.entries(annotations ?? {}).some(
        ([key, text]) => key.startsWith("holdfast.dev/") && text.includes(`"next":`),
      );
      if (labels?.["holdfast.dev/waiting"] && !isDue) return `Claim ${name} is labelled as waiting.`;
    }
    return undefined;
  },
};
