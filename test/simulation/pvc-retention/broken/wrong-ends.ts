import { bequeath } from "../../../../functions/pvc-retention/bequeath/rule.ts";
import { forgive } from "../../../../functions/pvc-retention/forgive/rule.ts";
import { project } from "../../../../functions/pvc-retention/project/rule.ts";
import { hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../../shared/kubernetes/finalizer.ts";
import { StatefulSet } from "../../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../../shared/kubernetes/write.ts";
import { readProgress } from "../../../../shared/progress.ts";
import { policyKey, readPolicy } from "../../../../shared/retention/policy.ts";
import { type Broken, starting } from "../../broken/broken.ts";
import { finalizer } from "../words.ts";
import { deciding, seeing } from "./deciding.ts";

const everything = "DeleteOnScaledownAndStatefulSetDeletion";

/** Faults of what becomes of a set's claims when it is deleted, and when its policy changes. */
export const wrongEnds: readonly Broken[] = [
  {
    name: "cascade-taken-for-granted",
    doc: "Takes every deletion that does not say otherwise for one with all dependents, as it is by default.",
    scenarios: ["left-by-its-set"],
    within: 40,
    rule: bequeath.name,
    start: seeing(bequeath, (facts) => ({ ...facts, evidence: "cascade" as const })),
  },
  {
    name: "kept-when-in-doubt",
    doc: "Never finds a proof that claims are to go with their set, and keeps them.",
    scenarios: ["goes-with-its-set"],
    by: "smooth runs",
    within: 4,
    rule: bequeath.name,
    start: seeing(bequeath, (facts) => ({ ...facts, evidence: "orphaned" as const })),
  },
  {
    name: "finalizer-before-references",
    doc: "Takes the finalizer off in the same run that writes the references, which nothing can keep from being written.",
    scenarios: ["goes-with-its-set"],
    within: 8,
    rule: bequeath.name,
    start: deciding(bequeath, (decisions, facts) => {
      if (!facts || !isBeingDeleted(facts.set) || !hasFinalizer(facts.set, finalizer)) return decisions;
      const [first, ...others] = decisions.filter((one) => one.do === "write");
      if (!first || first.about.kind === StatefulSet.kind) return decisions;
      const letGo = removeFinalizer(StatefulSet, facts.set, finalizer);
      const { because } = first;
      // With the first of them, as a loop would that stops in the middle.
      return [{ ...first, writes: [...first.writes, letGo], because }, ...others.slice(1)];
    }),
  },
  {
    name: "stale-set-uid",
    doc: "Remembers the uids of sets by their names.",
    scenarios: ["set-recreated"],
    within: 12,
    by: "smooth runs",
    rule: bequeath.name,
    start: (tools) => {
      const uids = new Map<string, string>();
      return deciding(bequeath, (decisions, facts) => {
        const { name = "", uid = "" } = facts?.set.metadata ?? {};
        const known = uids.get(name) ?? uid;
        uids.set(name, known);
        return decisions.map((decision) =>
          decision.do === "write" && decision.about.kind !== StatefulSet.kind
            ? {
                ...decision,
                writes: decision.writes.map(
                  (write) => JSON.parse(JSON.stringify(write).replaceAll(uid, known)) as Write,
                ),
              }
            : decision,
        );
      })(tools);
    },
  },
  {
    name: "finalizer-gone-with-the-policy",
    doc: "Takes the finalizer off as soon as the policy keeps the claims, because the set need not wait for anything then.",
    scenarios: ["kept-in-time"],
    by: "smooth runs",
    within: 8,
    rule: bequeath.name,
    start: seeing(bequeath, (facts) => (isBeingDeleted(facts.set) ? facts : { ...facts, claims: [] })),
  },
  {
    name: "finalizer-kept-for-later",
    doc: "Leaves the finalizer on a set whose claims are kept, because the policy may change again.",
    scenarios: ["policy-gone"],
    within: 6,
    rule: bequeath.name,
    start: deciding(bequeath, (decisions, facts) =>
      facts && !isBeingDeleted(facts.set) && !facts.policy ? [] : decisions,
    ),
  },
  {
    name: "finalizer-list-replaced-whole",
    doc: "Takes its finalizer off by writing the list that is to be left, which is empty.",
    scenarios: ["goes-with-its-set"],
    within: 4,
    rule: bequeath.name,
    start: deciding(bequeath, (decisions, facts) =>
      decisions.map((decision) => {
        if (decision.do !== "write" || decision.about.kind !== StatefulSet.kind || !facts) return decision;
        if (!isBeingDeleted(facts.set)) return decision;
        const { uid, resourceVersion } = facts.set.metadata;
        const [first] = decision.writes;
        if (first?.verb !== "patch") return decision;
        return {
          ...decision,
          writes: [{ ...first, type: "merge", patch: { metadata: { uid, resourceVersion, finalizers: null } } }],
        };
      }),
    ),
  },
  {
    name: "policy-from-progress",
    doc: "Reads the policy from what project has written down about it, which spares the look at the namespace.",
    scenarios: ["kept-at-the-last-moment"],
    within: 12,
    rule: bequeath.name,
    start: seeing(bequeath, (facts) => {
      const policy = readProgress(facts.set, project.name)?.policy;
      if (typeof policy !== "string") return facts;
      const annotations = { ...facts.set.metadata.annotations, [policyKey]: policy };
      return {
        ...facts,
        policy: readPolicy({ ...facts.set, metadata: { ...facts.set.metadata, annotations } }, undefined),
      };
    }),
  },
  {
    name: "unknown-taken-for-delete",
    doc: "Takes a policy that it does not know for the one that deletes everything: somebody wanted something deleted.",
    scenarios: ["kept-in-time", "policy-flips"],
    within: 12,
    rule: project.name,
    start: starting({
      ...project,
      look: async (subject, view) =>
        (await project.look(subject, view)).map((one) =>
          one.policy && one.policy.faults.length > 0
            ? {
                ...one,
                policy: { ...one.policy, name: everything, whenDeleted: "Delete", whenScaled: "Delete", faults: [] },
              }
            : one,
        ),
    }),
  },
  {
    name: "applied-once",
    doc: "Applies a policy to a set once: it is chosen with care, and does not change.",
    scenarios: ["kept-in-time"],
    by: "smooth runs",
    within: 12,
    rule: project.name,
    start: deciding(project, (decisions) =>
      decisions.filter(({ about }) => readProgress(about, project.name)?.step !== "in-force"),
    ),
  },
  {
    name: "namespace-not-heard",
    doc: "Reads the namespace's policy when something of a set happens.",
    scenarios: ["namespace-turns"],
    by: "smooth runs",
    within: 6,
    rule: project.name,
    start: starting({
      ...project,
      subjects: (hint, settings) => (hint.kind === "Namespace" ? [] : project.subjects(hint, settings)),
    }),
  },
  {
    name: "forgives-at-once",
    doc: "Takes every reference to the set off a claim that is to be kept, and does not wait for the field.",
    scenarios: ["policy-turns-back"],
    within: 24,
    rule: forgive.name,
    start: seeing(forgive, (facts) => {
      const claims = facts.claims.map((one) => {
        const ownerReferences = one.claim.metadata.ownerReferences?.map((owner) => ({
          ...owner,
          blockOwnerDeletion: false,
        }));
        return ownerReferences
          ? { ...one, claim: { ...one.claim, metadata: { ...one.claim.metadata, ownerReferences } } }
          : one;
      });
      const { persistentVolumeClaimRetentionPolicy: _, ...spec } = facts.set.spec;
      return { ...facts, claims, set: { ...facts.set, spec } };
    }),
  },
  {
    name: "traces-left",
    doc: "Takes its references off claims that are kept, and leaves what was written down about them.",
    scenarios: ["policy-gone", "policy-turns-back"],
    within: 12,
    rule: forgive.name,
    start: deciding(forgive, (decisions) =>
      decisions.map((decision) => {
        if (decision.do !== "write") return decision;
        const writes = decision.writes.map((write) =>
          write.verb === "patch" && Array.isArray(write.patch)
            ? { ...write, patch: write.patch.filter(({ path }: { path: string }) => !path.includes("annotations")) }
            : write,
        );
        return { ...decision, writes };
      }),
    ),
  },
];
