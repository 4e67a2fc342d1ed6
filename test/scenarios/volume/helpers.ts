import { Volume } from "../../../functions/volume/lib/kinds.ts";
import type { PersistentVolumeObject } from "../../../functions/volume/lib/persistent-volume.ts";
import type { VolumeSpec } from "../../../functions/volume/lib/schema.ts";
import { phaseOf, reasonOf, type VolumeObject } from "../../../functions/volume/lib/volume.ts";
import { Event, Node, PersistentVolume, StorageClass } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { manifest } from "../../harness/manifest.ts";

/** The node whose minion answers, and no other. */
export const minion = "worker-0";

/**
 * Its own class for each scenario, as nothing of the cluster may be shared; Immediate, because no pod ever runs on the
 * node.
 */
export async function createClass(cluster: Cluster, fsType = "ext4"): Promise<string> {
  const name = `local-${cluster.namespace}`;
  const provisioner = "kubernetes.io/no-provisioner";
  await cluster.admin.create(StorageClass, manifest(StorageClass, { name }, { provisioner, parameters: { fsType } }));
  return name;
}

/** The node, which scenarios share where they share a cluster. */
export async function createNode(cluster: Cluster): Promise<void> {
  const labels = { "kubernetes.io/hostname": minion };
  if (!(await cluster.admin.get(Node, undefined, minion)))
    await cluster.admin.create(Node, manifest(Node, { name: minion, labels }));
}

/** The node, and a class for its Volumes; returns the name of the class. */
export async function createNodeAndClass(cluster: Cluster, fsType?: string): Promise<string> {
  await createNode(cluster);
  return createClass(cluster, fsType);
}

/** A Volume of 16 MiB, named after the scenario's namespace; of several by a suffix, too. */
export async function createVolume(cluster: Cluster, spec: Partial<VolumeSpec> = {}, suffix = ""): Promise<string> {
  const name = `volume-${cluster.namespace}${suffix}`;
  const defaults = { nodeName: minion, storageClassName: `local-${cluster.namespace}` };
  const source = "rawBlockDevice" in spec ? {} : { sparseLoopDevice: { size: "16Mi" } };
  await cluster.admin.create(Volume, manifest(Volume, { name }, { spec: { ...defaults, ...source, ...spec } }));
  return name;
}

export const volumeOf = (cluster: Cluster, name: string): Promise<VolumeObject | undefined> =>
  cluster.admin.get<VolumeObject>(Volume, undefined, name);

export const persistentVolumeOf = (cluster: Cluster, name: string): Promise<PersistentVolumeObject | undefined> =>
  cluster.admin.get<PersistentVolumeObject>(PersistentVolume, undefined, name);

/**
 * Lets the sweep come, and time pass, until `check` returns something; Salt's signals are not among what a scenario
 * hears of, so that the end of a job is found by its due time.
 */
export async function swept<T>(cluster: Cluster, what: string, check: () => Promise<T | undefined>): Promise<T> {
  for (let tick = 0; tick < 120; tick++) {
    const found = await check();
    if (found !== undefined) return found;
    await cluster.sweep();
    await cluster.rest();
  }
  throw new Error(`It has not come about: ${what}.`);
}

/** Waits until the Volume is in a phase, for a reason where one is named. */
export function reaches(cluster: Cluster, name: string, phase: string, reason = ""): Promise<VolumeObject> {
  return swept(cluster, `Volume ${name} is ${phase} ${reason}`, async () => {
    const volume = await volumeOf(cluster, name);
    const isThere = volume && phaseOf(volume) === phase && (reason === "" || reasonOf(volume) === reason);
    return isThere ? volume : undefined;
  });
}

/** What the condition Ready says. */
export const messageOf = ({ status }: VolumeObject): string =>
  status?.conditions?.find(({ type }) => type === "Ready")?.message ?? "";

/** Waits until Volume and PersistentVolume are gone. */
export function isGone(cluster: Cluster, name: string): Promise<true> {
  return swept(cluster, `Volume ${name} is gone`, async () => {
    const left = [await volumeOf(cluster, name), await persistentVolumeOf(cluster, name)];
    return left.some(Boolean) ? undefined : true;
  });
}

/** Deletes a Volume, and waits until it and its PersistentVolume are gone. */
export async function remove(cluster: Cluster, name: string): Promise<void> {
  await cluster.admin.delete(Volume, undefined, name);
  await isGone(cluster, name);
}

/** Notes of Events on an object of the cluster, with their reasons: `reason: note`. */
export async function eventsOn(cluster: Cluster, name: string): Promise<readonly string[]> {
  const notes: string[] = [];
  for await (const event of cluster.admin.list<
    KubernetesObject & { reason: string; note: string; regarding: { name: string } }
  >(Event, { namespace: "default" }))
    if (event.regarding?.name === name) notes.push(`${event.reason}: ${event.note}`);
  return notes;
}
