import { accept } from "../../../functions/volume/accept/rule.ts";
import { device } from "../../../functions/volume/device/rule.ts";
import type { JobRecord, Whereabouts } from "../../../functions/volume/lib/salt/job.ts";
import { prepare } from "../../../functions/volume/prepare/rule.ts";
import { publish } from "../../../functions/volume/publish/rule.ts";
import { reclaim } from "../../../functions/volume/reclaim/rule.ts";
import { retire } from "../../../functions/volume/retire/rule.ts";
import { type Facts as Settling, settle } from "../../../functions/volume/settle/rule.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { type Mutant, starting } from "../mutants/mutant.ts";
import { guard } from "./volumes.ts";

/** The decisions with their writes changed. */
const withWrites = (decisions: readonly Decision[], change: (writes: readonly Write[]) => readonly Write[]) =>
  decisions.map(
    (decision): Decision =>
      "writes" in decision && decision.writes ? { ...decision, writes: change(decision.writes) } : decision,
  );

/** A settle that is shown its job otherwise than Salt has it. */
const settleSeeing = (change: (seen: { record: JobRecord; whereabouts?: Whereabouts }) => object) =>
  starting({
    ...settle,
    decide: (facts, ...rest) => {
      const seen = facts?.seen;
      const shown = facts && seen && "record" in seen ? { ...facts, seen: change(seen) } : facts;
      return settle.decide(shown as Settling, ...rest);
    },
  });

const done: JobRecord = { state: "ended", outcome: { end: "success", value: {}, states: [] } };

/** The object without what a rule has written down about it. */
function withoutNote<T extends KubernetesObject>(object: T, rule: string): T {
  const { [`holdfast.dev/volume.${rule}`]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Functions with a fault each. */
export const mutants: readonly Mutant[] = [
  {
    name: "no-finalizer",
    doc: "Leaves a Volume as it was created: it is deleted seldom.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    rule: accept.name,
    start: starting({ ...accept, decide: () => [] }),
  },
  {
    name: "begins-beside-others",
    doc: "Begins each Volume's job at once, and leaves it to the minion to refuse it.",
    scenarios: ["volumes-of-one-node"],
    by: "fault-free runs",
    within: 4,
    rule: prepare.name,
    start: starting({
      ...prepare,
      decide: (facts, ...rest) => {
        if (!facts?.job) return prepare.decide(facts, ...rest);
        const { busy: _, ...job } = facts.job;
        return prepare.decide({ ...facts, job }, ...rest);
      },
    }),
  },
  ...[prepare, reclaim, settle].map(
    (rule): Mutant => ({
      name: `${rule.name.replace("volume/", "")}-waits-for-the-sweep`,
      doc: "Looks at its own Volume alone: one that waits for the node is looked at again when it is due.",
      scenarios: ["volumes-of-one-node"],
      by: "fault-free runs",
      within: 8,
      rule: rule.name,
      start: starting({
        ...(rule as typeof settle),
        subjects: (...given) => rule.subjects(...given).filter(({ kind }) => kind.kind !== "Node"),
      }),
    }),
  ),
  {
    name: "long-is-lost",
    doc: "Takes a job that has not returned for one that is lost, and begins it anew.",
    scenarios: ["job-runs-long"],
    within: 8,
    rule: settle.name,
    start: settleSeeing((seen) => (seen.record.state === "pending" ? { ...seen, whereabouts: "absent" } : seen)),
  },
  {
    name: "posted-is-run",
    doc: "Waits for a job that Salt does not know, because its post will arrive.",
    scenarios: ["volume-comes-and-goes", "deleted-while-made"],
    within: 40,
    rule: settle.name,
    start: settleSeeing((seen) =>
      seen.record.state === "unknown" ? { record: { state: "pending" }, whereabouts: "running" } : seen,
    ),
  },
  {
    name: "absent-is-running",
    doc: "Waits for a job that the minion does not run, because its return is under way.",
    scenarios: ["job-lost"],
    within: 4,
    rule: settle.name,
    start: settleSeeing((seen) => (seen.whereabouts === "absent" ? { ...seen, whereabouts: "running" } : seen)),
  },
  {
    name: "accepted-is-done",
    doc: "Goes on as soon as Salt has the job: what it begins it ends.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    rule: settle.name,
    start: settleSeeing((seen) => (seen.record.state === "pending" ? { record: done } : seen)),
  },
  {
    name: "conflict-is-failure",
    doc: "Takes a return code of 1 for what it usually is.",
    scenarios: ["node-busy"],
    within: 4,
    rule: settle.name,
    start: settleSeeing((seen) =>
      seen.record.state === "ended" && seen.record.outcome.end === "conflict"
        ? { record: { state: "ended", outcome: { end: "failure", because: seen.record.outcome.because } } }
        : seen,
    ),
  },
  {
    name: "never-gives-up",
    doc: "Forgets how often a job was lost: some day it will not be.",
    scenarios: ["job-lost"],
    within: 12,
    rule: settle.name,
    start: starting({
      ...settle,
      decide: (facts, ...rest) => {
        const key = "holdfast.dev/volume.settle";
        const note = facts?.volume.metadata.annotations?.[key];
        if (!facts?.input || !note) return settle.decide(facts, ...rest);
        const annotations = {
          ...facts.volume.metadata.annotations,
          [key]: note.replace(/"attempt":\d+/, '"attempt":1'),
        };
        const volume = { ...facts.volume, metadata: { ...facts.volume.metadata, annotations } };
        return settle.decide({ ...facts, volume, input: { ...facts.input, volume } }, ...rest);
      },
    }),
  },
  {
    name: "taken-back-while-bound",
    doc: "Takes storage back as soon as the Volume is deleted, as its owner has asked.",
    scenarios: ["volume-in-use"],
    within: 4,
    rule: reclaim.name,
    start: starting({
      ...reclaim,
      look: (subject, context) => {
        const client = {
          ...context.client,
          get: async (...args: Parameters<typeof context.client.get>) =>
            args[0].kind === "PersistentVolume" ? undefined : context.client.get(...args),
        };
        return reclaim.look(subject, { ...context, client: client as typeof context.client });
      },
    }),
  },
  {
    name: "volume-goes-first",
    doc: "Lets the Volume go before its PersistentVolume, as it was deleted first.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    rule: reclaim.name,
    start: starting({
      ...reclaim,
      decide: (...args) => withWrites(reclaim.decide(...args), (writes) => writes.toReversed()),
    }),
  },
  {
    name: "begun-is-given-back",
    doc: "Lets both go when the job that takes the storage back has been begun.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    rule: reclaim.name,
    start: starting({
      ...reclaim,
      subjects: (hint) => reclaim.subjects(hint, {} as never),
      look: async (subject, context) => {
        const facts = await reclaim.look(subject, context);
        const { status } = facts?.volume ?? {};
        if (!facts || !status?.job?.startsWith("UnprepareVolume/")) return facts;
        const volume = { ...facts.volume, status: { ...status, job: "UnprepareVolume/DONE" } };
        return { ...facts, volume, job: { volume, storageClass: undefined, node: undefined } };
      },
    }),
  },
  {
    name: "available-first",
    doc: "Says that a Volume is available, and makes its PersistentVolume next.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    rule: publish.name,
    start: starting({
      ...publish,
      decide: (...args) => withWrites(publish.decide(...args), (writes) => writes.toReversed()),
    }),
  },
  {
    name: "published-unheld",
    doc: "Makes a PersistentVolume without a finalizer: Kubernetes has its own.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    rule: publish.name,
    start: starting({
      ...publish,
      decide: (...args) =>
        withWrites(publish.decide(...args), (writes) =>
          writes.map((write) => {
            if (write.verb !== "create") return write;
            const { metadata } = write.object;
            const finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== guard);
            return { ...write, object: { ...write.object, metadata: { ...metadata, finalizers } } };
          }),
        ),
    }),
  },
  {
    name: "never-retires",
    doc: "Leaves the PersistentVolume to whoever has bound it.",
    scenarios: ["volume-comes-and-goes", "volume-in-use"],
    within: 4,
    rule: retire.name,
    start: starting({ ...retire, decide: () => [] }),
  },
  {
    name: "asks-at-each-look",
    doc: "Forgets that it has looked at a job: its own writes come back as events, and it looks again.",
    scenarios: ["job-runs-long"],
    within: 4,
    rule: settle.name,
    start: starting({
      ...settle,
      subjects: (hint) =>
        settle.subjects(hint.object ? { ...hint, object: withoutNote(hint.object, "settle") } : hint, {} as never),
      decide: (facts, now, settings) => {
        const decisions = settle.decide(facts, now, settings);
        return decisions.map(
          (decision): Decision =>
            decision.do === "wait" && decision.step
              ? { ...decision, step: { ...decision.step, details: { ...decision.step.details, looked: now } } }
              : decision,
        );
      },
    }),
  },
  {
    name: "device-unasked",
    doc: "Leaves the device's name away, which is for show.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    rule: device.name,
    start: starting({ ...device, decide: () => [] }),
  },
  {
    name: "prepared-while-going",
    doc: "Begins what was asked for, also when the Volume is deleted meanwhile: the storage may be wanted again.",
    scenarios: ["deleted-while-made"],
    within: 12,
    rule: reclaim.name,
    start: starting({
      ...reclaim,
      decide: (facts, ...rest) => {
        if (!facts || facts.volume.status?.job) return reclaim.decide(facts, ...rest);
        return reclaim.decide({ ...facts, job: undefined as never }, ...rest);
      },
    }),
  },
];
