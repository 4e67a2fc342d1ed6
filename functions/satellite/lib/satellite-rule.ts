import { z } from "zod";
import { limitSettings } from "../../../shared/budget/limits.ts";
import type { Permission } from "../../../shared/declaration.ts";
import type { DeclaredWrites } from "../../../shared/declared-writes.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { ConfigMap, Event, type Kind, Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { lazyClient, type Observed } from "../../../shared/kubernetes/lazy-client.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { naming, namingRefused } from "../../../shared/system/naming.ts";
import { wholeNumber } from "../../../shared/whole-number.ts";
import { Cluster, DaemonSet, LinstorCluster, LinstorSatellite, Machine, VolumeAttachment } from "./kinds.ts";
import { linstorAddresses } from "./linstor/controllers.ts";
import type { preDrainHook, preTerminateHook } from "./machine.ts";
import { conditions as steps } from "./satellite.ts";
import { type Marks, marksFor } from "./volumes.ts";

const second = 1000;
const minute = 60 * second;
/** Where the Secret with the management cluster's kubeconfig is mounted. */
const managementFolder = "/etc/holdfast/cluster-api";
const managementSecret = "holdfast-cluster-api";

/** What all functions of the system are set by: in the ConfigMap `holdfast-satellite`. */
export const common = z.object({
  satelliteWait: wholeNumber(0)
    .default(30 * minute)
    .describe(
      "Milliseconds that an evacuation waits for other satellites that are not ready. Then it goes on with a " +
        "warning. 0: as long as it takes.",
    ),
  evacuationApproval: z
    .enum(["annotation", "none"])
    .default("none")
    .describe(
      "Whether an evacuation begins only when a person agrees, by the annotation holdfast.dev/approve-evacuation. " +
        "With `annotation`, each deletion of a Machine, and so each rolling upgrade, waits for a person.",
    ),
  ...limitSettings("evacuation", "satellites", "100%"),
  satelliteNamespace: z
    .string()
    .min(1)
    .default("piraeus-datastore")
    .describe("Namespace of the satellites' DaemonSets and pods, as piraeus-operator has it."),
  clusterApiKubeconfig: z
    .string()
    .default("")
    .describe(
      "Path of the kubeconfig by which Cluster API's management cluster is reached, where Machines lie on another " +
        `cluster: a file of the Secret ${managementSecret}, as ${managementFolder}/value. Empty: they lie on this one.`,
    ),
  satelliteLookAgain: wholeNumber(second)
    .default(10 * second)
    .describe(
      "Milliseconds after which LINSTOR is asked again about copies, for which no event comes. What begins to " +
        "wait between two ticks of the sweep is first asked for with the next tick.",
    ),
  ...linstorAddresses.shape,
});
export type Common = z.output<typeof common>;

/**
 * What every rule that looks at satellites shares. Without this client Machines of another cluster would be taken for
 * gone.
 */
export const satelliteRule = {
  settings: common,
  common,
  mounts: ["cluster-api"],
  client: async (own: Client, { clusterApiKubeconfig }: Pick<Common, "clusterApiKubeconfig">, observed?: Observed) =>
    naming(
      "Cluster API",
      ({ apiVersion }) => isThere(`/apis/${apiVersion}`),
      managed(namingRefused([PersistentVolume, DaemonSet, ConfigMap], own), clusterApiKubeconfig, observed),
    ),
} as const;

/**
 * A client that looks for Cluster API's objects on the cluster of the kubeconfig at this path, if there is one, and for
 * all others on the function's own. If it cannot be read, only what needs them fails, so that the object says why.
 */
function managed(own: Client, file: string, observed?: Observed): Client {
  if (file === "") return own;
  const management = lazyClient(async () => (await import("../../../shared/serve/connect.ts")).connect(file), observed);
  const of = ({ apiVersion }: Kind) => (isThere(`/apis/${apiVersion}`) ? management : own);
  return {
    // Events of a Machine are where it is. They are only read where one of the name is already there.
    get: async (kind, ...rest) =>
      (await of(kind).get(kind, ...rest)) ??
      (kind.kind === Event.kind ? management.get(kind, ...rest) : (undefined as never)),
    list: (kind, ...rest) => of(kind).list(kind, ...rest),
    create: (kind, object, ...rest) => (isOfMachine(object) ? management : of(kind)).create(kind, object, ...rest),
    patch: (kind, ...rest) => of(kind).patch(kind, ...rest),
    delete: (kind, ...rest) => of(kind).delete(kind, ...rest),
    request: (method, path, ...rest) => (isThere(path) ? management : own).request(method, path, ...rest),
  };
}

const isOfMachine = (object: KubernetesObject & { regarding?: { apiVersion?: string } }) =>
  isThere(`/apis/${object.regarding?.apiVersion}`);

/** Machines, and the infrastructure objects that they name: also where an API server says which versions it serves. */
const isThere = (path: string) => /^\/apis\/(infrastructure\.)?cluster\.x-k8s\.io(\/|$)/.test(path);

/** What a rule does beside looking at single satellites and writing down its progress there. */
export interface Also {
  /** Why it looks at satellites and changes them, as each permission says. */
  readonly why: string;
  /** Of satellites, besides its progress. */
  readonly writes?: DeclaredWrites;
  /** Lists satellites: those that leave, and those that are waited for. */
  readonly satellites?: "list";
  /** Looks at the volumes of a node. */
  readonly volumes?: "list";
  /** Of our annotations on volumes, those that it sets or removes. */
  readonly marks?: readonly (keyof Marks)[];
  /** Why it looks at volumes, and marks them. */
  readonly whyVolumes?: string;
  /** Reads the Machine and its Cluster. */
  readonly machines?: "read";
  /** Of our hooks on the Machine, those that it sets or removes. */
  readonly hooks?: readonly (typeof preDrainHook | typeof preTerminateHook)[];
  /** Why it reads the Machine, and sets or removes hooks. */
  readonly whyMachine?: string;
  /** The conditions that it writes. */
  readonly conditions?: readonly string[];
  /** Records Events about these. */
  readonly events?: string;
}

/** What a rule that looks at satellites may. */
export function mayLook({
  why,
  writes = {},
  satellites,
  volumes,
  marks,
  whyVolumes = "to find volumes of LINSTOR on the Node, and those that an evacuation has marked",
  machines,
  hooks,
  whyMachine = "to see whether the Machine is being deleted, and which hooks hold it",
  conditions,
  events,
}: Also): readonly Permission[] {
  const node = "to see whether the Node exists, which Machine it has";
  const permissions: Permission[] = [
    { resource: LinstorSatellite, verbs: satellites ? ["get", "list", "patch"] : ["get", "patch"], writes, why },
    {
      resource: LinstorCluster,
      verbs: ["get"],
      why: "to read its settings, such as its LINSTOR, and to see whether it is gone or is being deleted",
    },
    volumes
      ? { resource: Node, verbs: ["get", "list"], why: `${node}, and on which other Nodes volumes may be used` }
      : { resource: Node, verbs: ["get"], why: `${node}, and which labels` },
  ];
  if (machines) {
    permissions.push({ resource: Cluster, verbs: ["get"], why: "to see whether the whole cluster is being deleted" });
    permissions.push(
      hooks
        ? { resource: Machine, verbs: ["get", "patch"], writes: { annotations: hooks }, why: whyMachine }
        : { resource: Machine, verbs: ["get"], why: whyMachine },
    );
  }
  if (conditions) {
    const why = "to show in its conditions what is done with it, and what that waits for";
    const more = { subresource: "status", writes: { conditions }, why };
    permissions.push({ resource: LinstorSatellite, verbs: ["patch"], ...more });
  }
  if (events) {
    const why = `to record Events about ${events}, and to delete those that no longer hold`;
    permissions.push({ resource: Event, verbs: ["create", "get", "delete"], why });
  }
  if (volumes) {
    permissions.push(
      marks
        ? {
            resource: PersistentVolume,
            verbs: ["list", "patch"],
            writes: { annotations: marks.map((mark) => marksFor("*")[mark]) },
            why: whyVolumes,
          }
        : { resource: PersistentVolume, verbs: ["list"], why: whyVolumes },
    );
    permissions.push({
      resource: VolumeAttachment,
      verbs: ["list"],
      why: "to see on which Nodes volumes are attached",
    });
  }
  return permissions;
}

/** The same for a rule of the nine steps, whose facts are all volumes and satellites. */
export const mayStep = (also: Also): readonly Permission[] =>
  mayLook({ satellites: "list", volumes: "list", machines: "read", conditions: Object.values(steps), ...also });
