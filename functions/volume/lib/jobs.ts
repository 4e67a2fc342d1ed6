import { createHash } from "node:crypto";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { command } from "../../../shared/system/command.ts";
import type { JobStep } from "./job-handle.ts";
import type { SaltJob } from "./salt/client.ts";
import { newJid } from "./salt/jid.ts";
import { salt } from "./salt/system.ts";
import type { Common } from "./settings.ts";
import type { VolumeObject } from "./volume.ts";

/** Begins a Salt job under an id that is written down before: a repetition of the same is no second job. */
export const spawn = command(salt, "begin a Salt job", (client, job: SaltJob) => client.spawn(job));

const mods = { PrepareVolume: "metalk8s.volumes", UnprepareVolume: "metalk8s.volumes.unprepared" } as const;

/** What of the cluster a job is made from. */
export interface JobInput {
  readonly volume: VolumeObject;
  /**
   * The Volume's StorageClass; `undefined` when there is none, which a node only needs to know to make a file system.
   */
  readonly storageClass: KubernetesObject | undefined;
  /** The Volume's Node; `undefined` when there is none. */
  readonly node: KubernetesObject | undefined;
}

/**
 * The job of a step with this id, as it is given to Salt. The same input gives the same job, so that it may be posted
 * again.
 */
export function jobOf(step: JobStep, jid: string, { volume, storageClass, node }: JobInput, settings: Common): SaltJob {
  const { name, uid } = volume.metadata;
  const common = { jid, minion: volume.spec.nodeName, metadata: { volume: name, uid, step } };
  if (step === "GetDeviceInfo") return { ...common, fun: "metalk8s_volumes.device_info", kwarg: { name, uid } };
  const pillar = { volume: name, metalk8s: { volumes: { [name]: definitionOf(volume, storageClass) } } };
  return {
    ...common,
    fun: "state.sls",
    kwarg: { mods: mods[step], saltenv: saltenvOf(node, settings), pillar },
  };
}

/**
 * The Volume as the states read it from the pillar: the object's identity and specification, with the class in its
 * place.
 */
function definitionOf({ apiVersion, kind, metadata, spec }: VolumeObject, storageClass: KubernetesObject | undefined) {
  const { name, uid, annotations = {} } = metadata;
  // Progress changes from look to look; what the states may read is MetalK8s' own.
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

function saltenvOf(node: KubernetesObject | undefined, { saltenv }: Common): string {
  const version = node?.metadata.labels?.["metalk8s.scality.com/version"];
  return saltenv || (version ? `metalk8s-${version}` : "base");
}

/**
 * The id for a new job of a step. It is drawn from what the job is for, not from chance, because decisions are pure:
 * two instances that decide the same in the same millisecond choose the same id, and the job is one.
 */
export function jidFor(step: JobStep, { metadata }: VolumeObject, attempt: number, now: number): string {
  const seed = createHash("sha256").update(`${metadata.uid} ${metadata.resourceVersion} ${step} ${attempt} ${now}`);
  return newJid(now, () => seed.digest().readUInt32BE(0) / 2 ** 32);
}

/** When an id was chosen, to the second: milliseconds since the epoch; 0, long ago, where the id is no time. */
export function timeOf(jid: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(jid) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) || 0;
}
