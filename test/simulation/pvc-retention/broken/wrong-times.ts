import { grace } from "../../../../functions/pvc-retention/grace/rule.ts";
import type { Decision } from "../../../../shared/decision.ts";
import { PersistentVolumeClaim } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { readMark } from "../../../../shared/retention/mark.ts";
import { type Broken, starting } from "../../broken/broken.ts";
import { deleteAtKey } from "../words.ts";
import { deciding } from "./deciding.ts";

const isDue = ({ metadata }: KubernetesObject, now: number) =>
  Date.parse(metadata.annotations?.[deleteAtKey] ?? "") <= now && metadata.deletionTimestamp === undefined;

const deletion = (claim: KubernetesObject): Decision => {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const options = { uid, resourceVersion };
  const writes = [{ verb: "delete", kind: PersistentVolumeClaim, namespace, name, options }] as const;
  return { about: claim, kind: PersistentVolumeClaim, do: "write", because: `Claim ${name} is due.`, writes };
};

/** Faults of when a claim goes that is kept for a while. */
export const wrongTimes: readonly Broken[] = [
  {
    name: "mark-believed",
    doc: "Deletes a claim when the time on it has come, whoever wrote that there.",
    scenarios: ["marked-by-hand"],
    within: 8,
    rule: grace.name,
    start: starting({
      ...grace,
      subjects: (hint, settings) =>
        hint.kind === "PersistentVolumeClaim" && hint.change !== "delete" && hint.namespace
          ? [{ kind: PersistentVolumeClaim, namespace: hint.namespace, name: hint.name }]
          : grace.subjects(hint, settings),
      look: async (subject, view) => {
        const facts = await grace.look(subject, view);
        if (facts || subject.kind.kind !== "PersistentVolumeClaim") return facts;
        const { client } = view;
        const claim = await client.get(PersistentVolumeClaim, subject.namespace, subject.name ?? "", {
          metadataOnly: true,
        });
        // The rule's own verdict is taken below.
        return claim && ({ claim: { claim } } as never);
      },
      decide: (facts, now, settings) => {
        if (!facts || "set" in facts || facts.claim.mark) return grace.decide(facts, now, settings);
        return isDue(facts.claim.claim, now) ? [deletion(facts.claim.claim)] : [];
      },
    }),
  },
  {
    name: "due-time-not-rechecked",
    doc: "Deletes what it has marked when the time has come, whatever has become of the set: it was condemned, and was told.",
    scenarios: ["grace-after-scale-down"],
    within: 8,
    by: "smooth runs",
    rule: grace.name,
    start: deciding(grace, (decisions, facts, now) => {
      if (!facts || "set" in facts) return decisions.filter(({ about }) => readMark(about)?.step !== "marked");
      const { claim, mark } = facts.claim;
      return mark.step === "marked" && isDue(claim, now) ? [deletion(claim)] : [];
    }),
  },
  {
    name: "time-counted-from-before",
    doc: "Counts the delay from when somebody may have scaled the set down, twenty seconds before.",
    scenarios: ["grace-after-scale-down"],
    within: 4,
    rule: grace.name,
    start: starting({ ...grace, decide: (facts, now, settings) => grace.decide(facts, now - 20_000, settings) }),
  },
  {
    name: "due-times-forgotten",
    doc: "Looks at a claim when somebody changes it, which is when its time may have been moved.",
    scenarios: ["grace-after-scale-down"],
    within: 4,
    rule: grace.name,
    start: starting({
      ...grace,
      subjects: (hint, settings) =>
        hint.kind === "PersistentVolumeClaim" && hint.change === "sweep" ? [] : grace.subjects(hint, settings),
    }),
  },
];
