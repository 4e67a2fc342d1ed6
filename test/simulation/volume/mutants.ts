import { addFinalizer } from "../../../functions/volume/add-finalizer/rule.ts";
import { deletePv } from "../../../functions/volume/delete-pv/rule.ts";
import { Volume } from "../../../functions/volume/lib/kinds.ts";
import type { JobView } from "../../../functions/volume/lib/salt/job.ts";
import { statusWrites } from "../../../functions/volume/lib/volume.ts";
import { refreshDeviceName } from "../../../functions/volume/refresh-device-name/rule.ts";
import type { JobFacts } from "../../../functions/volume/run-job/look.ts";
import { runJob } from "../../../functions/volume/run-job/rule.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { changed, faulty, type Mutant, withWrites } from "../mutants/mutant.ts";
import { guard } from "./volumes.ts";

/** A run-job that is shown its job otherwise than Salt has it. */
const seeing = (change: (seen: JobView) => JobView) =>
  faulty(runJob, {
    decide: (facts, ...rest) => {
      const { work } = facts;
      if (!work || "obstacle" in work || work.seen.of !== "job") return runJob.decide(facts, ...rest);
      const { record, whereabouts } = work.seen;
      const seen = { of: "job", ...change({ record, ...(whereabouts ? { whereabouts } : {}) }) } as const;
      return runJob.decide({ ...facts, work: { ...work, seen } }, ...rest);
    },
  });

/** A run-job that decides by what is written down otherwise. */
const noting = (change: (note: string) => string | undefined) =>
  faulty(runJob, {
    look: async (subject, view) => {
      const client = {
        ...view.client,
        get: async (...args: Parameters<typeof view.client.get>) => {
          const object = await view.client.get(...args);
          return object?.kind === "Volume" ? withNote(object, change) : object;
        },
      };
      return runJob.look(subject, { ...view, client: client as typeof view.client });
    },
  });

const noteKey = "holdfast.dev/volume.job";

function withNote<T extends KubernetesObject>(object: T, change: (note: string) => string | undefined): T {
  const { [noteKey]: note, ...annotations } = object.metadata.annotations ?? {};
  const other = note === undefined ? undefined : change(note);
  const all = other === undefined ? annotations : { ...annotations, [noteKey]: other };
  return { ...object, metadata: { ...object.metadata, annotations: all } };
}

/** Functions with a fault each. */
export const mutants: readonly Mutant[] = [
  {
    name: "no-finalizer",
    doc: "Leaves a Volume as it was created: it is deleted seldom.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    ...faulty(addFinalizer, { decide: () => [] }),
  },
  {
    name: "long-is-lost",
    doc: "Takes a job that has not returned for one that is lost, and begins it again under another id.",
    scenarios: ["job-runs-long"],
    within: 8,
    ...seeing((seen) => (seen.record.state === "pending" ? { ...seen, whereabouts: "absent" } : seen)),
  },
  {
    name: "posted-is-run",
    doc: "Waits for a job that Salt does not know, because its post will arrive.",
    scenarios: ["volume-comes-and-goes", "deleted-while-made"],
    within: 40,
    ...seeing((seen) =>
      seen.record.state === "unknown" ? { record: { state: "pending" }, whereabouts: "running" } : seen,
    ),
  },
  {
    name: "absent-is-running",
    doc: "Waits for a job that the minion does not run, because its return is under way.",
    scenarios: ["job-lost"],
    within: 4,
    ...seeing((seen) => (seen.whereabouts === "absent" ? { ...seen, whereabouts: "running" } : seen)),
  },
  {
    name: "accepted-is-done",
    doc: "Lets the storage go as soon as Salt has the job: what it begins it ends.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    ...seeing((seen) =>
      seen.record.state === "pending" ? { record: { state: "ended", outcome: { end: "success", value: {} } } } : seen,
    ),
  },
  {
    name: "never-gives-up",
    doc: "Forgets how often a job was lost: some day it will not be.",
    scenarios: ["job-lost"],
    within: 12,
    ...noting((note) => note.replace(/"attempt":\d+/, '"attempt":1')),
  },
  {
    name: "taken-back-while-bound",
    doc: "Takes storage back as soon as the Volume is deleted, as its owner has asked.",
    scenarios: ["volume-in-use"],
    within: 4,
    ...faulty(runJob, {
      look: (subject, view) => {
        const client = {
          ...view.client,
          get: async (...args: Parameters<typeof view.client.get>) =>
            args[0].kind === "PersistentVolume" ? undefined : view.client.get(...args),
        };
        return runJob.look(subject, { ...view, client: client as typeof view.client });
      },
    }),
  },
  {
    name: "volume-goes-first",
    doc: "Lets the Volume go before its PersistentVolume, as it was deleted first.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    ...faulty(deletePv, {
      decide: changed(
        deletePv,
        withWrites((writes) => writes.toReversed()),
      ),
    }),
  },
  {
    name: "begun-is-given-back",
    doc: "Lets both go when the job that takes the storage back has been begun.",
    scenarios: ["volume-comes-and-goes"],
    within: 24,
    ...faulty(deletePv, {
      look: async (subject, view) => {
        const found = await deletePv.look(subject, view);
        const seen = found.seen.map((one) => {
          if (one.facts.is !== "ready" || !one.object.status?.job?.startsWith("UnprepareVolume/")) return one;
          const volume = { ...one.object, status: { ...one.object.status, job: "UnprepareVolume/DONE" } };
          return { ...one, object: volume, facts: { ...one.facts, volume } };
        });
        return { ...found, seen };
      },
    }),
  },
  {
    name: "available-first",
    doc: "Says that a Volume is available, and makes its PersistentVolume next.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    ...faulty(runJob, {
      decide: changed(
        runJob,
        withWrites((writes) => (writes.some(({ verb }) => verb === "create") ? writes.toReversed() : writes)),
      ),
    }),
  },
  {
    name: "published-unheld",
    doc: "Makes a PersistentVolume without a finalizer: Kubernetes has its own.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    ...faulty(runJob, {
      decide: changed(
        runJob,
        withWrites((writes) =>
          writes.map((write) => {
            if (write.verb !== "create") return write;
            const { metadata } = write.object;
            const finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== guard);
            return { ...write, object: { ...write.object, metadata: { ...metadata, finalizers } } };
          }),
        ),
      ),
    }),
  },
  {
    name: "never-retires",
    doc: "Leaves the PersistentVolume to the claim that has bound it.",
    scenarios: ["volume-comes-and-goes", "volume-in-use"],
    within: 4,
    ...faulty(deletePv, { decide: () => [] }),
  },
  {
    name: "asks-at-each-look",
    doc: "Forgets that it has looked at a job: its own writes come back as events, and it looks again.",
    scenarios: ["job-runs-long"],
    within: 4,
    ...faulty(runJob, {
      subjects: (hint) =>
        runJob.subjects(hint.object ? { ...hint, object: withNote(hint.object, () => undefined) } : hint, {} as never),
      decide: changed(runJob, (decision, _, now) =>
        decision.do === "write" && decision.step
          ? { ...decision, step: { ...decision.step, details: { ...decision.step.details, looked: now } } }
          : decision,
      ),
    }),
  },
  {
    name: "waits-in-its-look",
    doc: "Waits for the job while it looks, so that no event and no sweep is needed for its end.",
    scenarios: ["job-runs-long"],
    within: 4,
    ...faulty(runJob, {
      look: async (subject, view) => {
        for (let asked = 1; ; asked++) {
          const facts = await runJob.look(subject, view);
          const seen = facts.work && "seen" in facts.work ? facts.work.seen : undefined;
          if (seen?.of !== "job" || seen.record.state === "ended" || asked === 80) return facts;
        }
      },
    }),
  },
  {
    name: "phase-by-turns",
    doc: "Says Terminating of a Volume whose job runs, and at the next look again what it was before.",
    scenarios: ["job-runs-long"],
    by: "fault-free runs",
    within: 4,
    ...faulty(runJob, {
      subjects: (hint) =>
        runJob.subjects(hint.object ? { ...hint, object: withNote(hint.object, () => undefined) } : hint, {} as never),
      decide: changed(runJob, (decision, facts, now) =>
        decision.do === "write" && decision.step?.name === "running"
          ? { ...decision, writes: byTurns(facts, now) }
          : decision,
      ),
    }),
  },
  {
    name: "device-unasked",
    doc: "Leaves the device's name away, which is for show.",
    scenarios: ["volume-comes-and-goes"],
    within: 4,
    ...faulty(refreshDeviceName, { decide: () => [] }),
  },
  {
    name: "prepared-while-going",
    doc: "Begins what was asked for, also when the Volume is deleted meanwhile: the storage may be wanted again.",
    scenarios: ["deleted-while-made"],
    within: 12,
    ...faulty(runJob, {
      decide: (facts, ...rest) => {
        const { work: _, ...withoutWork } = facts;
        return runJob.decide(facts.seen[0]?.object.status?.job ? facts : withoutWork, ...rest);
      },
    }),
  },
  {
    name: "silent-about-salt",
    doc: "Ends an event quietly while Salt is away, because the sweep comes back anyway.",
    scenarios: ["volumes-of-two-nodes"],
    by: "outages",
    within: 20,
    ...faulty(runJob, {
      decide: changed(runJob, (decision) =>
        isAway(decision) ? { ...decision, message: "It waits.", writes: [] } : decision,
      ),
    }),
  },
  {
    name: "forgets-while-salt-is-away",
    doc: "Plans no further look while Salt is away, because it cannot know when Salt is back.",
    scenarios: ["volume-comes-and-goes"],
    by: "outages",
    within: 20,
    ...faulty(runJob, {
      decide: changed(runJob, (decision) => {
        if (!isAway(decision)) return decision;
        const { next: _, ...rest } = decision;
        return rest;
      }),
    }),
  },
  {
    name: "asks-for-all-nodes",
    doc: "Looks at the jobs of all Volumes before it begins one, so that no more than a few run.",
    scenarios: ["volumes-of-two-nodes"],
    by: "outages",
    within: 20,
    ...faulty(runJob, {
      look: async (subject, view) => {
        const facts = await runJob.look(subject, view);
        for await (const { metadata } of view.client.list(Volume, { metadataOnly: true })) {
          const other = await runJob.look({ kind: Volume, name: metadata.name }, view);
          const isUnknown = other.work && "seen" in other.work && other.work.seen.of === "outage";
          if (isUnknown) return { seen: [] };
        }
        return facts;
      },
    }),
  },
];

/** Whether a decision waits for Salt, which is away. */
const isAway = (decision: Decision): decision is Extract<Decision, { do: "write" }> =>
  decision.do === "write" && decision.step?.name === "salt-away";

function byTurns({ seen }: JobFacts, now: number): readonly Write[] {
  const volume = seen[0]?.object;
  if (!volume) return [];
  const phase = volume.status?.phase === "Pending" ? "Terminating" : "Pending";
  return statusWrites(volume, { phase, message: "It is the node's turn." }, now);
}
