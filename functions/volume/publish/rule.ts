import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { Event, Node, PersistentVolume, StorageClass } from "../../../shared/kubernetes/kind.ts";
import { on, onSignal, rule } from "../../../shared/rule.ts";
import { normal, warning } from "../../../shared/steps.ts";
import { due } from "../../../shared/sweep.ts";
import { type ChainFacts, stepOf } from "../lib/chain.ts";
import { isFollowed } from "../lib/follow.ts";
import { type JobHandle, readJobHandle } from "../lib/job-handle.ts";
import type { JobInput } from "../lib/jobs.ts";
import { Volume } from "../lib/kinds.ts";
import { lookAtVolume } from "../lib/look.ts";
import { lookForJob } from "../lib/look-for-job.ts";
import { isOf } from "../lib/persistent-volume.ts";
import { pursue, pursuitSteps, type SeenJob, seeJob } from "../lib/pursue.ts";
import { salt } from "../lib/salt/system.ts";
import { common } from "../lib/settings.ts";
import { jobReturned } from "../lib/signal.ts";
import { spawnJob } from "../lib/spawn-job.ts";
import { hasProgress, volumesIn } from "../lib/subjects.ts";
import { hasFailedForGood, phaseOf, statusWrites, type VolumeObject } from "../lib/volume.ts";
import { classMissing } from "../lib/waiting.ts";
import { type DeviceInfo, isPathOf, persistentVolumeOf } from "./persistent-volume-of.ts";

const name = "volume/publish";
type Settings = z.output<typeof common>;

/**
 * A Volume whose storage is made, and what the node says of it where it was asked; `undefined` when the Volume is gone.
 */
export type Facts = (ChainFacts & { readonly input?: JobInput; readonly seen?: SeenJob }) | undefined;

export const publish = rule({
  name,
  doc: "Asks the node for the size and the path of a Volume's storage, and makes its PersistentVolume of them.",
  settings: common,
  common,
  wakes: [on(Volume, ["update"]), onSignal(Volume, jobReturned)],
  may: [
    { resource: Volume, verbs: ["get", "patch"] },
    { resource: Volume, subresource: "status", verbs: ["patch"] },
    { resource: PersistentVolume, verbs: ["get", "create"] },
    { resource: StorageClass, verbs: ["get"] },
    { resource: Node, verbs: ["get"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [due(Volume)],
  steps: { ...pursuitSteps, "class-missing": warning("StorageClassMissing") },
  systems: { salt },
  subjects: (hint) => volumesIn(hint, concerns),
  look: async ({ name = "" }, { client, salt }): Promise<Facts> => {
    const facts = await lookAtVolume(client, name);
    if (!facts || stepOf(facts) !== "publish" || facts.persistentVolume) return facts;
    const input = await lookForJob(client, facts.volume);
    const run = questionOf(facts.volume);
    if (!run) return { ...facts, input };
    return { ...facts, input, seen: await seeJob(salt, run.jid, facts.volume.spec.nodeName) };
  },
  decide,
});

function concerns(volume: VolumeObject): boolean {
  const run = questionOf(volume);
  if (run && isFollowed(volume, name, run.jid)) return false;
  return isPrepared(volume) || hasProgress(volume, name);
}

/** Whether the states have run for the Volume, and no more is known to have come of it. */
function isPrepared(volume: VolumeObject): boolean {
  const job = readJobHandle(volume.status?.job);
  return !hasFailedForGood(volume) && (job?.step === "GetDeviceInfo" || (job?.step === "PrepareVolume" && !job.jid));
}

/** The job by which the node was asked. */
function questionOf({ status }: VolumeObject): Required<JobHandle> | undefined {
  const job = readJobHandle(status?.job);
  return job?.step === "GetDeviceInfo" && job.jid ? (job as Required<JobHandle>) : undefined;
}

function decide(facts: Facts, now: number, settings: Settings): readonly Decision[] {
  if (!facts) return [];
  const { volume, persistentVolume, input, seen } = facts;
  const { leave, write } = about(Volume, volume);
  const title = `Volume ${volume.metadata.name}`;
  if (stepOf(facts) !== "publish") return [leave(`${title} is not to be published now.`)];
  if (persistentVolume) {
    if (!isOf(persistentVolume, volume)) return [nameTaken(volume, now)];
    // Another run has made it, and has not come to say so. How it is, is another rule's.
    const wanted = { job: "", ...(phaseOf(volume) === "Failed" ? {} : { phase: "Available" as const }) };
    return [write(`${title} is available.`, statusWrites(volume, wanted, now), { event: normal("VolumeAvailable") })];
  }
  if (!input) return [leave(`${title} has just come to this step.`)];
  const { storageClass } = input;
  if (!storageClass) return [classMissing(name, volume, now)];
  const run = questionOf(volume);
  const because = `Node ${volume.spec.nodeName} is asked for the size and the path of ${title}`;
  if (!run || !seen) return [spawnJob({ step: "GetDeviceInfo", attempt: 1, because }, input, now, settings)];
  const failed = (cause: string) => notPublished(volume, cause, now);
  return [
    pursue(
      { ruleName: name, run, input, seen, now, settings },
      {
        failed,
        succeeded({ value }) {
          const info = deviceInfo.safeParse(value);
          if (!info.success) return failed(`the node's answer is no size and path: ${excerptOf(value)}`);
          if (!isPathOf(volume, info.data.path))
            return failed(`the node's answer is about other storage than this Volume's: ${excerptOf(value)}`);
          return published(volume, storageClass, info.data, now);
        },
      },
    ),
  ];
}

/** What the module function `device_info` returns. */
const deviceInfo = z.object({ size: z.string().regex(/^[1-9]\d{0,18}$/), path: z.string() });

const excerptOf = (value: unknown): string => String(JSON.stringify(value)).slice(0, 200);

function published(
  volume: VolumeObject,
  storageClass: NonNullable<JobInput["storageClass"]>,
  info: DeviceInfo,
  now: number,
) {
  const { name } = volume.metadata;
  const object = persistentVolumeOf(volume, storageClass, info);
  const because = `Volume ${name} becomes PersistentVolume ${name} (${info.size} bytes at ${info.path}).`;
  const writes = [
    { verb: "create", kind: PersistentVolume, object } as const,
    ...statusWrites(volume, { phase: "Available", job: "" }, now),
  ];
  return about(Volume, volume).write(because, writes, { event: normal("VolumeAvailable") });
}

function nameTaken(volume: VolumeObject, now: number): Decision {
  const because =
    `PersistentVolume ${volume.metadata.name} exists, and is not this Volume's: the storage is made, and cannot be ` +
    `published. Delete the Volume, and create one under another name.`;
  const writes = statusWrites(volume, { phase: "Failed", reason: "CreationError", message: because }, now);
  return about(Volume, volume).write(because, writes, { event: warning("PersistentVolumeTaken") });
}

function notPublished(volume: VolumeObject, cause: string, now: number): Decision {
  const because = `Salt job 'GetDeviceInfo' failed with: ${cause}`;
  const writes = statusWrites(volume, { phase: "Failed", reason: "CreationError", message: because }, now);
  return about(Volume, volume).write(because, writes, { event: warning("StorageNotPublished") });
}
