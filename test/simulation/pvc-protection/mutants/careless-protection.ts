import { protect } from "../../../../functions/pvc-protection/protect/rule.ts";
import { type Facts as Pending, warn } from "../../../../functions/pvc-protection/warn/rule.ts";
import { annotate } from "../../../../shared/kubernetes/annotate.ts";
import { PersistentVolumeClaim, Pod } from "../../../../shared/kubernetes/kind.ts";
import { changed, faulty, type Mutant } from "../../mutants/mutant.ts";

export const carelessProtection: readonly Mutant[] = [
  {
    name: "protects-new-claims-only",
    doc: "Looks at a claim when it is added, and never again, because that is when it lacks the finalizer.",
    scenarios: ["many-claims-alone", "many-claims"],
    within: 15,
    ...faulty(protect, {
      subjects: (hint, settings) => (hint.change === "add" ? protect.subjects(hint, settings) : []),
    }),
  },
  {
    name: "list-replaced-whole",
    doc: "Protects by a merge patch that sets the list of finalizers.",
    scenarios: ["deleted-while-used"],
    within: 5,
    ...faulty(protect, {
      decide: changed(protect, (decision, claim, _, settings) => {
        if (decision.do !== "write" || !claim) return decision;
        const { namespace, name, uid, resourceVersion } = claim.metadata;
        const patch = { metadata: { uid, resourceVersion, finalizers: [settings.finalizer] } };
        return {
          ...decision,
          writes: [{ verb: "patch", kind: PersistentVolumeClaim, namespace, name, type: "merge", patch }],
        };
      }),
    }),
  },
  {
    name: "verdict-noted-on-every-claim",
    doc: "Notes on each claim that it has looked at it, also on those that are being deleted.",
    scenarios: ["deleted-while-used"],
    within: 15,
    ...faulty(protect, {
      decide: changed(protect, (decision) => {
        const note = { "holdfast.dev/pvc-protection.protect": decision.message };
        return decision.do === "leave"
          ? { ...decision, do: "write", writes: [annotate(PersistentVolumeClaim, decision.about, note)] }
          : decision;
      }),
    }),
  },
  {
    name: "warns-without-a-deletion",
    doc: "Warns every pod that has not started, because some claim of it may be going.",
    scenarios: ["finished-jobs"],
    within: 5,
    ...faulty(warn, {
      look: async ({ namespace = "" }, { client }): Promise<Pending> => ({
        pods: await Array.fromAsync(client.list(Pod, { namespace, fieldSelector: "status.phase=Pending" })),
        deleting: await Array.fromAsync(client.list(PersistentVolumeClaim, { namespace, metadataOnly: true })),
      }),
    }),
  },
];
