import * as z from "zod";
import { isNotFound } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readAnnotation } from "../../../shared/kubernetes/read-annotation.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { managementKinds } from "./kinds.ts";

/**
 * The hooks by which a Machine waits for us; the names behind the slash are ours, and no other hook is ever touched.
 */
export const preDrainHook = "pre-drain.delete.hook.machine.cluster.x-k8s.io/linstor-prepare-for-drain";
export const preTerminateHook =
  "pre-terminate.delete.hook.machine.cluster.x-k8s.io/linstor-wait-for-complete-evacuation";

/** Annotation of a LinstorSatellite: the Machine of its Node, written down while the Node exists. */
export const machineKey = "holdfast.dev/machine";

const schema = z.object({ namespace: z.string().min(1), name: z.string().min(1) });
const seenDeleting = z.looseObject({ deleting: z.literal(true) });
const seenGoing = z.looseObject({ server: z.literal("going") });
const seenFree = z.looseObject({ hooks: z.literal("none") });

/** Which Machine a Node is. */
export type MachineIdentity = z.output<typeof schema>;

export interface MachineObject extends KubernetesObject {
  spec?: {
    clusterName?: string;
    /** `apiVersion` before v1beta2. */
    infrastructureRef?: { apiGroup?: string; apiVersion?: string; kind?: string; name?: string };
    [field: string]: unknown;
  };
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

/**
 * Label of a LinstorSatellite that is itself alive: its Machine is being deleted. The sweep selects by it, so that what
 * begins with that begins although LINSTOR could not be asked at first.
 */
export const machineLeavesLabel = "holdfast.dev/machine-is-deleted";

/**
 * Whether hooks of ours may be on the Machine. That there are none is written down when they are removed or not found,
 * and taken back before they are set: where it stands, Cluster API need not be asked.
 */
export const mayCarryHooks = (satellite: KubernetesObject): boolean =>
  readIdentity(satellite) !== undefined && readAnnotation(satellite, machineKey, seenFree) === undefined;

/** Whether it was written down that the Machine is being deleted: a hint for rules that no event of it reaches. */
export const isSeenDeleting = (satellite: KubernetesObject): boolean =>
  readAnnotation(satellite, machineKey, seenDeleting) !== undefined;

/** Whether it was written down that the Machine's server goes although our hooks are on. */
export const isServerSeenGoing = (satellite: KubernetesObject): boolean =>
  readAnnotation(satellite, machineKey, seenGoing) !== undefined;

/**
 * The Machine of a satellite, live; `undefined` when it is gone, or the cluster serves no Machines and has never held
 * this one. Where hooks of ours may be on it, or it was being deleted, kinds that are not served are away: Cluster API
 * may be being installed again, or the kubeconfig may lead elsewhere.
 *
 * @throws SystemError: what cannot be asked of the management cluster says nothing of this one
 */
export async function lookAtMachine(
  client: Client,
  satellite: KubernetesObject,
  identity: MachineIdentity,
): Promise<MachineSeen | undefined> {
  const isNeeded = mayCarryHooks(satellite) || isSeenDeleting(satellite);
  return read(client, identity, isNeeded).catch(unreadable(`The Machine ${identity.namespace}/${identity.name}`));
}

/** Throws what cannot be read of the management cluster. */
export const unreadable = (what: string) => (error: unknown) => {
  const why = error instanceof Error ? error.message : String(error);
  throw new SystemError("Cluster API", "unreachable", `${what} could not be read: ${why}`, { cause: error });
};

async function read(
  client: Client,
  { namespace, name }: MachineIdentity,
  isNeeded: boolean,
): Promise<MachineSeen | undefined> {
  const group = await client
    .request<{ versions?: readonly { groupVersion: string }[] }>("GET", "/apis/cluster.x-k8s.io")
    .catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const kinds = managementKinds(group?.versions?.map(({ groupVersion }) => groupVersion) ?? []);
  if (!kinds && isNeeded)
    throw new Error(
      "the cluster serves no Machines of a version that is known. Look whether Cluster API is installed there, and " +
        "whether the kubeconfig leads to the management cluster. Only if that cluster is gone, remove the " +
        "annotation " +
        `${machineKey} of the LinstorSatellite.`,
    );
  if (!kinds) return undefined;
  const object = await client.get<MachineObject>(kinds.machine, namespace, name);
  if (!object) return undefined;
  const { clusterName } = object.spec ?? {};
  const cluster = clusterName ? await client.get(kinds.cluster, namespace, clusterName) : undefined;
  // A Cluster goes after its last Machine: without it, that Machine may have gone since it was read.
  const live = clusterName && !cluster ? await client.get<MachineObject>(kinds.machine, namespace, name) : object;
  return (
    live && { kind: kinds.machine, object: live, clusterDeleting: cluster !== undefined && isBeingDeleted(cluster) }
  );
}

/** Which of our hooks are on the Machine. */
export function hooksOn({ object: { metadata } }: Pick<MachineSeen, "object">) {
  const { annotations = {} } = metadata;
  return {
    preDrain: annotations[preDrainHook] !== undefined,
    preTerminate: annotations[preTerminateHook] !== undefined,
  };
}

/** Sets hooks (`""`) or removes them (null); others' hooks are not touched. */
export function hooksPatch({ kind, object }: MachineSeen, hooks: Readonly<Record<string, "" | null>>): Write {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const patch = { metadata: { uid, resourceVersion, annotations: hooks } };
  return { verb: "patch", kind, namespace, name, type: "merge", patch };
}
