import { z } from "zod";
import { isNotFound } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { readAnnotation } from "./annotation.ts";
import { managementKinds } from "./kinds.ts";
import { preDrainHook, preTerminateHook } from "./names.ts";

/** Annotation of a LinstorSatellite: the Machine of its Node, written down while the Node exists. */
export const machineKey = "holdfast.dev/machine";

const schema = z.object({ namespace: z.string().min(1), name: z.string().min(1) });
const seenDeleting = z.looseObject({ deleting: z.literal(true) });

/** Which Machine a Node is. */
export type MachineIdentity = z.output<typeof schema>;

export interface MachineObject extends KubernetesObject {
  spec?: { clusterName?: string; [field: string]: unknown };
  status?: {
    nodeRef?: { name?: string };
    conditions?: readonly { readonly type: string; readonly reason?: string }[];
    [field: string]: unknown;
  };
}

/** A Machine as the management cluster has it, in the newest version that it serves. */
export interface MachineSeen {
  readonly kind: Kind;
  readonly object: MachineObject;
  /** Cluster API's Cluster is being deleted, which the Machine itself does not say. */
  readonly clusterDeleting: boolean;
}

/** The Machine that Cluster API has annotated a Node with. */
export function identityOf({ metadata: { annotations } }: KubernetesObject): MachineIdentity | undefined {
  const name = annotations?.["cluster.x-k8s.io/machine"];
  const namespace = annotations?.["cluster.x-k8s.io/cluster-namespace"];
  return name && namespace ? { namespace, name } : undefined;
}

/** The Machine that was written down on a LinstorSatellite. */
export const readIdentity = (satellite: KubernetesObject): MachineIdentity | undefined =>
  readAnnotation(satellite, machineKey, schema);

/** Whether it was written down that the Machine is being deleted: a hint for rules that no event of it reaches. */
export const isSeenDeleting = (satellite: KubernetesObject): boolean =>
  readAnnotation(satellite, machineKey, seenDeleting) !== undefined;

/**
 * The Machine, live; `undefined` when it is gone, or the cluster serves no Machines.
 *
 * @throws ApiError
 */
export async function lookAtMachine(
  client: Client,
  { namespace, name }: MachineIdentity,
): Promise<MachineSeen | undefined> {
  const group = await client
    .request<{ versions?: readonly { groupVersion: string }[] }>("GET", "/apis/cluster.x-k8s.io")
    .catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const kinds = managementKinds(group?.versions?.map(({ groupVersion }) => groupVersion) ?? []);
  if (!kinds) return undefined;
  const object = await client.get<MachineObject>(kinds.machine, namespace, name);
  if (!object) return undefined;
  const { clusterName } = object.spec ?? {};
  const cluster = clusterName ? await client.get(kinds.cluster, namespace, clusterName) : undefined;
  return { kind: kinds.machine, object, clusterDeleting: cluster?.metadata.deletionTimestamp !== undefined };
}

/** Which of our hooks are on the Machine. */
export function hooksOn({ object: { metadata } }: MachineSeen) {
  const { annotations = {} } = metadata;
  return {
    preDrain: annotations[preDrainHook] !== undefined,
    preTerminate: annotations[preTerminateHook] !== undefined,
  };
}

/** Sets hooks (`""`) or removes them (null); others' hooks are not touched. */
export function setHooks({ kind, object }: MachineSeen, hooks: Readonly<Record<string, "" | null>>): Write {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const patch = { metadata: { uid, resourceVersion, annotations: hooks } };
  return { verb: "patch", kind, namespace, name, type: "merge", patch };
}
