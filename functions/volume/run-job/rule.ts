import { about } from "../../../shared/about.ts";
import { chainRule } from "../../../shared/chain/chain-rule.ts";
import type { Decision } from "../../../shared/decision.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Node, PersistentVolume, StorageClass } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readProgress } from "../../../shared/progress.ts";
import { on, onSignal } from "../../../shared/rule.ts";
import { normal, silent, warning } from "../../../shared/steps.ts";
import { due, whileDeleting } from "../../../shared/sweep.ts";
import { firstLook, isInUse, storageChain } from "../lib/chain.ts";
import { type JobStep, writeJobHandle } from "../lib/job-handle.ts";
import { jobProgress } from "../lib/job-progress.ts";
import { Volume } from "../lib/kinds.ts";
import type { ChainFacts } from "../lib/look.ts";
import { isOf } from "../lib/persistent-volume.ts";
import { salt } from "../lib/salt/system.ts";
import { jobReturned } from "../lib/signal.ts";
import { ownersIn, volumesIn } from "../lib/subjects.ts";
import { wasBegun } from "../lib/vanished-node.ts";
import { hasFailedForGood, phaseOf, statusWrites, type VolumeObject, volumeFinalizer } from "../lib/volume.ts";
import { isTakenBack, readDeviceInfo } from "./device-info.ts";
import { isAbout, newJob, noteOf, notReclaimed } from "./job-note.ts";
import { type JobFacts, lookAtJob, type Work } from "./look.ts";
import { type JobAction, nextJobAction } from "./next-job-action.ts";
import type { Obstacle } from "./obstacle.ts";
import { ofVolume, persistentVolumeOf } from "./persistent-volume-of.ts";
import { jidFor, saltJobOf, spawn } from "./salt-job.ts";

type Job = Exclude<Work, { obstacle: Obstacle }>;

export const runJob = chainRule(storageChain, "run-job", {
  progressName: jobProgress,
  doc:
    "Runs the Salt jobs that create the storage of a Volume and reclaim it, follows each to its end, and creates the " +
    "PersistentVolume from what the node returns.",
  triggers: [on(Volume, ["add", "update"]), on(PersistentVolume, ["update", "delete"]), onSignal(Volume, jobReturned)],
  permissions: [
    {
      resource: Volume,
      verbs: ["get", "patch"],
      writes: {},
      why: "to see which step the Volume is at, and to note the attempts of its Salt job",
    },
    {
      resource: Volume,
      subresource: "status",
      verbs: ["patch"],
      writes: { conditions: ["Ready"], fields: ["status.phase", "status.job"] },
      why: "to write the phase, the condition and the id of the Salt job",
    },
    {
      resource: PersistentVolume,
      verbs: ["get", "list", "create"],
      // As the template of the Volume says.
      writes: {
        annotations: ["*"],
        labels: ["*"],
        finalizers: [volumeFinalizer],
        ownerReferences: [Volume.kind],
      },
      bounds: [ofVolume],
      why: "to create the PersistentVolume, and to see whether a claim uses it before storage is reclaimed",
    },
    { resource: StorageClass, verbs: ["get"], why: "to read how the storage is to be formatted and mounted" },
    { resource: Node, verbs: ["get"], why: "to see whether the node of the Volume exists" },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record that the Volume is available, or what keeps it from that, and to delete that Event",
    },
  ],
  sweep: [due(Volume), whileDeleting(Volume, volumeFinalizer)],
  steps: {
    accepted: silent,
    posted: silent,
    running: silent,
    "no-answer": warning("MinionNotAnswering"),
    "salt-away": warning("SaltUnreachable"),
    "salt-unauthorized": warning("SaltUnauthorized"),
    "salt-refused": warning("SaltRefused"),
    "name-taken": warning("PersistentVolumeTaken"),
    "class-missing": warning("StorageClassMissing"),
    "node-missing": warning("NodeMissing"),
    [notReclaimed]: warning("StorageNotReclaimed"),
  },
  systems: { salt },
  subjects: (hint) => [
    ...volumesIn(hint, concerns),
    ...ownersIn(hint, (persistentVolume) => hint.change === "delete" || isBeingDeleted(persistentVolume)),
  ],
  look: async (_, { client, salt }, seen): Promise<JobFacts> => lookAtJob(await seen(), client, salt),
  act: ({ facts, now }, { work }) => [actUpon(facts, work, now)],
});

/**
 * Whether the Volume of an event needs a look. One whose next look is written down does not: most of its events are
 * this rule's own writes. The PersistentVolume that an available Volume has lost has an event of its own.
 */
function concerns(volume: VolumeObject): boolean {
  const note = readProgress(volume, jobProgress);
  if (note?.next !== undefined && isAbout(volume, note)) return isBeingDeleted(volume) && note.going !== true;
  if (note || isBeingDeleted(volume)) return true;
  if (!hasFinalizer(volume, volumeFinalizer) || hasFailedForGood(volume)) return false;
  return phaseOf(volume) !== "Available" || Boolean(volume.status?.job);
}

function actUpon(facts: ChainFacts, work: Work | undefined, now: number): Decision {
  const { volume } = facts;
  const { leave, write } = about(Volume, volume);
  const title = `Volume ${volume.metadata.name}`;
  if (facts.persistentVolume && isOf(facts.persistentVolume, volume) && !isBeingDeleted(volume)) {
    // Another run has made it, and has not come to say so. How it is, is another rule's.
    const wanted = { job: "", ...(phaseOf(volume) === "Failed" ? {} : { phase: "Available" as const }) };
    return write(`${title} is available.`, statusWrites(volume, wanted, now), { event: normal("VolumeAvailable") });
  }
  if (!work) return leave(`${title} has just come to this step.`);
  if ("obstacle" in work) return hindered(volume, work.obstacle, now);
  const action = nextJobAction(work.job, work.seen, now);
  return isBeingDeleted(volume) ? takenBack(facts, work, action, now) : made(facts, work, action, now);
}

function hindered(volume: VolumeObject, { step, message, event }: Obstacle, now: number): Decision {
  const { write } = about(Volume, volume);
  if (step) {
    const phase = phaseFor(volume);
    // Storage that was made must not look as if it was never begun: it would be forgotten when its node is away.
    const isMade = phase === "Pending" && !volume.status?.job && wasBegun(volume, undefined);
    const job = isMade ? writeJobHandle({ step: "PrepareVolume" }) : (volume.status?.job ?? "");
    const writes = statusWrites(volume, { phase, message, job }, now);
    return write(message, writes, { step: noteOf(volume, step, newJob, job), next: now + firstLook });
  }
  const writes = statusWrites(volume, { phase: "Failed", reason: "CreationError", message }, now);
  return write(message, writes, event ? { event: warning(event) } : {});
}

const phaseFor = (volume: VolumeObject) => (isBeingDeleted(volume) ? "Terminating" : "Pending");

/** What becomes of a Volume that is to stay. */
function made(facts: ChainFacts, work: Job, action: JobAction, now: number): Decision {
  const { volume } = facts;
  switch (action.do) {
    case "succeed":
      return published(volume, work, action.value, now);
    case "fail":
      return notMade(volume, action.message, now);
    default:
      return goOn(volume, work, action, now);
  }
}

function published(volume: VolumeObject, { storageClass }: Job, value: unknown, now: number): Decision {
  const { name } = volume.metadata;
  const info = readDeviceInfo(volume, value);
  if (!info || !storageClass) {
    const returned = String(JSON.stringify(value)).slice(0, 200);
    const cause = `the node has not returned size and path of this Volume's storage: ${returned}`;
    return notMade(volume, cause, now);
  }
  const object = persistentVolumeOf(volume, storageClass, info);
  const message = `Volume ${name} becomes PersistentVolume ${name} (${info.size} bytes at ${info.path}).`;
  const writes = [
    { verb: "create", kind: PersistentVolume, object } as const,
    ...statusWrites(volume, { phase: "Available", job: "" }, now),
  ];
  // What a Volume that goes meanwhile leaves behind would be offered to claims, while its storage is taken back.
  const holds = (live?: KubernetesObject) => live?.metadata.uid === volume.metadata.uid && !isBeingDeleted(live);
  const preconditions = [{ kind: Volume, namespace: undefined, name, holds }];
  return about(Volume, volume).write(message, writes, { preconditions, event: normal("VolumeAvailable") });
}

function notMade(volume: VolumeObject, cause: string, now: number): Decision {
  const message = `Salt job 'PrepareVolume' failed with: ${cause}`;
  const writes = statusWrites(volume, { phase: "Failed", reason: "CreationError", message }, now);
  return about(Volume, volume).write(message, writes, { event: warning("StorageNotPrepared") });
}

/** What becomes of a Volume that is to go. */
function takenBack(facts: ChainFacts, work: Job, action: JobAction, now: number): Decision {
  const { volume } = facts;
  const { jid = "", resumes } = work.job;
  const hasEnded = ["begin", "succeed", "fail"].includes(action.do) || resumes !== undefined;
  if (work.step === "PrepareVolume" && hasEnded)
    return dropped(volume, `Job ${jid} does nothing more. The storage of the Volume is reclaimed next.`, now);
  // A claim may have been bound since the job was begun.
  if (isInUse(facts) && ["begin", "post", "pause"].includes(action.do))
    return dropped(volume, `Job ${jid} is not repeated: the storage is in use again.`, now);
  switch (action.do) {
    case "succeed": {
      if (!isTakenBack(volume, action.value)) {
        const returned = String(JSON.stringify(action.value)).slice(0, 200);
        return leftOnNode(volume, work, `job ${jid} has returned nothing of this Volume: ${returned}`, now);
      }
      const message = `Salt job ${jid} has reclaimed the storage of Volume ${volume.metadata.name}.`;
      const job = writeJobHandle({ step: work.step });
      return about(Volume, volume).write(message, statusWrites(volume, { job }, now));
    }
    case "fail":
      return leftOnNode(volume, work, action.message, now);
    default:
      return goOn(volume, work, action, now);
  }
}

/** No job is in hand any more, and the chain goes on from there. */
function dropped(volume: VolumeObject, message: string, now: number): Decision {
  const writes = statusWrites(volume, { phase: "Terminating", message, job: "" }, now);
  return about(Volume, volume).write(message, writes);
}

/** Storage that was not taken back is tried again, ever more seldom. */
function leftOnNode(volume: VolumeObject, { job }: Job, cause: string, now: number): Decision {
  const message = `Salt job 'UnprepareVolume' failed with: ${cause}`;
  const next = now + Math.min(3_600_000, firstLook * 2 ** Math.min(job.attempt, 10));
  const writes = statusWrites(volume, { phase: "Failed", reason: "DestructionError", message }, now);
  const again = { ...job, attempt: job.attempt + 1 };
  return about(Volume, volume).write(message, writes, { step: noteOf(volume, notReclaimed, again), next });
}

/** A job that has not come to its end. */
function goOn(
  volume: VolumeObject,
  { storageClass, step, job }: Job,
  action: Exclude<JobAction, { do: "succeed" | "fail" }>,
  now: number,
): Decision {
  const { call, wait, write } = about(Volume, volume);
  const next = now + firstLook;
  switch (action.do) {
    case "pause":
      return wait(action.message);
    case "wait": {
      const message = action.step === "running" ? workingOn(volume, step, job.jid) : sinceWhen(volume, action, now);
      return write(message, messageWrites(volume, message, now), {
        step: noteOf(volume, action.step, job),
        next: action.next,
      });
    }
    case "post": {
      const { jid = "" } = job;
      const posted = { ...job, posted: now, reposted: action.reposted };
      const command = spawn(saltJobOf(step, jid, volume, storageClass));
      return call(action.message, { step: noteOf(volume, "posted", posted), command, next });
    }
    case "begin": {
      const { attempt } = action;
      const jid = jidFor(step, volume, attempt, now);
      const handle = writeJobHandle({ step, jid });
      const message = workingOn(volume, step, jid);
      return call(`${action.message} ${message}`.trim(), {
        step: noteOf(volume, "posted", { ...newJob, attempt, posted: now }, handle),
        writes: statusWrites(volume, { phase: phaseFor(volume), message, job: handle }, now),
        command: spawn(saltJobOf(step, jid, volume, storageClass)),
        next,
      });
    }
  }
}

/** What the condition says while a job is in hand. */
function workingOn({ metadata, spec }: VolumeObject, step: JobStep, jid = ""): string {
  const does =
    step === "PrepareVolume"
      ? `prepares the storage of Volume ${metadata.name}`
      : `reclaims the storage of Volume ${metadata.name}`;
  return `Salt ${does} on node ${spec.nodeName} (job ${jid}).`;
}

/** A wait's message, with since when it is so where that is an outage. */
function sinceWhen(volume: VolumeObject, { step, message }: Extract<JobAction, { do: "wait" }>, now: number): string {
  const note = readProgress(volume, jobProgress);
  const since = new Date((note?.step === step && Date.parse(note.since)) || now).toISOString();
  const when = `${since.slice(0, 10)} ${since.slice(11, 16)} UTC`;
  return `${message} It has been so since ${when}; Volume ${volume.metadata.name} goes on by itself when it is over.`;
}

/** Says what a Volume waits for, and changes neither its phase nor a failure. */
function messageWrites(volume: VolumeObject, message: string, now: number) {
  const phase = phaseOf(volume);
  if (phase === "Failed") return [];
  return statusWrites(volume, { phase: phase === "Unknown" ? "Pending" : phase, message }, now);
}
