import { createHash } from "node:crypto";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { command } from "../../../shared/system/command.ts";
import type { JobStep } from "../lib/job-handle.ts";
import type { SaltJob } from "../lib/salt/client.ts";
import { newJid } from "../lib/salt/jid.ts";
import { salt } from "../lib/salt/system.ts";
import type { VolumeObject } from "../lib/volume.ts";

/** Begins a Salt job under an id that is written down before: a repetition of the same is no second job. */
export const spawn = command(salt, "begin a Salt job", (client, job: SaltJob) => client.spawn(job));

const funs = {
  PrepareVolume: "metalk8s_volumes.prepare",
  UnprepareVolume: "metalk8s_volumes.unprepare",
} as const satisfies Record<JobStep, string>;

/**
 * The job of a step with this id, as it is given to Salt. The same input gives the same job, so that it may be posted
 * again. Without its class, a Volume can only be taken back.
 */
export function saltJobOf(
  step: JobStep,
  jid: string,
  volume: VolumeObject,
  storageClass: KubernetesObject | undefined,
): SaltJob {
  const { name, uid } = volume.metadata;
  return {
    jid,
    minion: volume.spec.nodeName,
    metadata: { volume: name, uid, step },
    fun: funs[step],
    kwarg: { volume: definitionOf(volume, storageClass) },
  };
}

/**
 * The Volume as the functions on the node read it: the object's identity and specification, with the class in its
 * place.
 */
function definitionOf({ apiVersion, kind, metadata, spec }: VolumeObject, storageClass: KubernetesObject | undefined) {
  const { name, uid, annotations = {} } = metadata;
  // Progress changes from look to look; what the node may read is MetalK8s' own.
  const theirs = Object.entries(annotations).filter(([key]) => key.split("/")[0]?.endsWith("metalk8s.scality.com"));
  const { provisioner, parameters, mountOptions } = storageClass ?? ({} as Partial<KubernetesObject>);
  const known = storageClass && {
    metadata: { name: storageClass.metadata.name },
    provisioner,
    ...(parameters ? { parameters } : {}),
    ...(mountOptions ? { mountOptions } : {}),
  };
  const { storageClassName, template: _, ...rest } = spec;
  return {
    apiVersion,
    kind,
    metadata: { name, uid, ...(theirs.length > 0 ? { annotations: Object.fromEntries(theirs) } : {}) },
    spec: { ...rest, storageClassName, storageClass: known ?? storageClassName },
  };
}

/**
 * The id for a new job of a step. It is drawn from what the job is for, not from chance, because decisions are pure:
 * two instances that decide the same in the same millisecond choose the same id, and the job is one.
 */
export function jidFor(step: JobStep, { metadata }: VolumeObject, attempt: number, now: number): string {
  const seed = createHash("sha256").update(`${metadata.uid} ${metadata.resourceVersion} ${step} ${attempt} ${now}`);
  return newJid(now, () => seed.digest().readUInt32BE(0) / 2 ** 32);
}
