import { seededRandom } from "../../../eventing/random.ts";
import {
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
  VolumeAttachment,
} from "../../../functions/satellite/lib/kinds.ts";
import { linstor as linstorSystem } from "../../../functions/satellite/lib/linstor/system.ts";
import type { LinstorSatelliteObject } from "../../../functions/satellite/lib/satellite.ts";
import { csiDriver, type VolumeAttachmentObject } from "../../../functions/satellite/lib/volumes.ts";
import type { Trouble } from "../../../local/controllers/controller.ts";
import { createControllerTools } from "../../../local/controllers/controller-tools.ts";
import { startKubelet, usualHeartbeat } from "../../../local/controllers/kubelet/start-kubelet.ts";
import { createLinstor, type LinstorStandIn } from "../../../local/linstor/linstor.ts";
import { serveSystem } from "../../../local/system-server/serve-system.ts";
import { systemClock } from "../../../shared/clock.ts";
import { type Kind, Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { connectSystems } from "../../../shared/serve/connect-systems.ts";
import type { Backend } from "../../harness/backend.ts";
import type { Cluster, Setting } from "../../harness/cluster.ts";
import { StatefulSet } from "../../harness/kinds.ts";
import { claim, manifest, statefulSet } from "../../harness/manifest.ts";
import { startAffinityController } from "./start-affinity-controller.ts";
import { startAttacher } from "./start-attacher.ts";
import { startSatellites } from "./start-satellites.ts";

const selected = { "holdfast.test/satellite": "yes" };
/** The label of a Node that says which configuration, and so which policy, is its satellite's. */
export const policyLabel = "holdfast.test/policy";
const policies = ["Retain", "Evacuate", "Delete"] as const;
type Policy = (typeof policies)[number];

/**
 * Nodes with LINSTOR satellites on a real control plane: the functions under their own roles, LINSTOR's stand-in over
 * HTTP.
 */
export interface SatelliteHarness {
  readonly world: Cluster;
  readonly linstor: LinstorStandIn;
  /** Nodes that LINSTOR was called to evacuate, in order. */
  readonly evacuated: readonly string[];
  /** What a controller of the site could not do at once. */
  readonly troubles: readonly Trouble[];
  /** Waits three minutes at most, while the sweep comes every few seconds. */
  until<T>(what: string, check: () => Promise<T | undefined | false>): Promise<T>;
  /** Labels the Node, so that it gets a satellite with this policy, and waits until LINSTOR knows it. */
  admit(node: string, policy: Policy): Promise<void>;
  get<T extends KubernetesObject>(kind: Kind, name: string): Promise<T | undefined>;
  merge(kind: Kind, name: string, patch: object): Promise<unknown>;
  delete(kind: Kind, name: string): Promise<unknown>;
  gone(kind: Kind, name: string): Promise<unknown>;
  /**
   * A volume with copies on two nodes, in use by a pod on the first, which may run on both; `bound` to the first by its
   * affinity.
   */
  workload(name: string, nodes: readonly [string, string], options?: { readonly bound?: true }): Promise<void>;
  /** The node on which the pod of a workload runs. */
  runsOn(name: string): Promise<string | undefined>;
  condition(node: string, type: string): Promise<{ status: string; reason: string; message: string } | undefined>;
  isListed(node: string): Promise<boolean>;
  /** A property of the node's storage pool in LINSTOR. */
  poolProperty(node: string, name: string): Promise<string | undefined>;
  stop(): Promise<void>;
}

/**
 * Opens it on a cluster where the site may take what it likes; `nodes` come with kubelets of the laptop edition, and
 * `overlays` are paths below `knative/`.
 */
export async function openSite(
  worlds: Backend,
  nodes: readonly string[],
  overlays: readonly string[] = [],
): Promise<SatelliteHarness> {
  const ends: (() => Promise<void> | void)[] = [];
  const ended = new AbortController();
  const troubles: Trouble[] = [];
  const evacuated: string[] = [];
  const volumes: string[] = [];

  const random = seededRandom(systemClock.now());
  const standIn = createLinstor({ clock: systemClock, random, syncTime: 4_000 });
  const server = await serveSystem(async (request) => {
    const node = /^\/v1\/nodes\/([^/]+)\/evacuate$/.exec(request.path)?.[1];
    if (node) evacuated.push(node);
    return standIn.transport(request);
  });
  const setting: Setting = {
    name: "with satellites",
    inTree: true,
    environment: { "platform-sweep": { TICK: "2" } },
    components: ["access/satellite", "satellite", ...overlays],
    connect: (clock) => connectSystems({ linstor: linstorSystem }, { LINSTOR_URL: server.url }, clock),
  };
  const world = await worlds.open(setting, { whenOver: (end) => void ends.push(end) });
  const { admin, namespace, transport } = world;
  const scope = (kind: Kind) => (kind.namespaced ? namespace : undefined);
  const create = (kind: Kind, name: string, rest: Record<string, unknown>, metadata: object = {}) =>
    admin.create(kind, manifest(kind, { name, ...(kind.namespaced ? { namespace } : {}), ...metadata }, rest));

  const tools = createControllerTools({
    transport,
    clock: systemClock,
    random,
    signal: ended.signal,
    trouble: (found) => void troubles.push(found),
  });
  const linstor = connectSystems({ linstor: linstorSystem }, { LINSTOR_URL: server.url })(linstorSystem).at(undefined);
  startSatellites(tools, standIn);
  startAttacher(tools, standIn);
  startAffinityController(tools);
  await create(LinstorCluster, "linstorcluster", { spec: { nodeSelector: selected } });
  for (const deletionPolicy of policies)
    await create(LinstorSatelliteConfiguration, deletionPolicy.toLowerCase(), {
      spec: { nodeSelector: { [policyLabel]: deletionPolicy }, deletionPolicy, storagePools },
    });
  await startKubelet(tools, { nodes, heartbeat: usualHeartbeat }).synced;
  void sweepUntilOver();

  async function sweepUntilOver(): Promise<void> {
    while (!ended.signal.aborted) {
      await world.sweep().catch((error) => troubles.push({ controller: "sweep", subject: "tick", error }));
      await systemClock.sleep(2_000, ended.signal).catch(() => {});
    }
  }

  const harness: SatelliteHarness = {
    world,
    linstor: standIn,
    evacuated,
    troubles,
    until: (what, check) => world.eventually(what, check, 180_000) as never,
    async admit(node, policy) {
      const labels = { ...selected, [policyLabel]: policy, "linbit.com/hostname": node };
      // Attachments to it are Kubernetes' own business, not its kubelet's.
      const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
      await harness.merge(Node, node, { metadata: { labels, annotations } });
      await harness.until(`LINSTOR knows ${node}`, async () => {
        const satellite = await harness.get<LinstorSatelliteObject>(LinstorSatellite, node);
        return satellite?.status?.conditions?.some(({ type, status }) => type === "Configured" && status === "True");
      });
    },
    get: (kind, name) => admin.get(kind, scope(kind), name),
    merge: (kind, name, patch) => admin.patch(kind, scope(kind), name, "merge", patch),
    delete: (kind, name) => admin.delete(kind, scope(kind), name),
    gone: (kind, name) =>
      harness.until(`${kind.kind} ${name} is gone`, async () => (await harness.get(kind, name)) === undefined),
    async workload(name, [on, other], { bound } = {}) {
      volumes.push(name);
      standIn.addVolume(name, { copies: [on, other] });
      const at = (values: readonly string[]) => [{ key: "linbit.com/hostname", operator: "In", values }];
      const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: at([on]) }] } };
      await create(PersistentVolume, name, {
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          persistentVolumeReclaimPolicy: "Retain",
          storageClassName: "none",
          claimRef: { namespace, name },
          csi: { driver: csiDriver, volumeHandle: name, volumeAttributes: attributes },
          ...(bound ? { nodeAffinity } : {}),
        },
      });
      await admin.create(PersistentVolumeClaim, claim({ namespace, name }, { volumeName: name }));
      const affinity = {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: at([on, other]) }],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 100, preference: { matchExpressions: at([on]) } },
          ],
        },
      };
      const container = { name: "main", image: "registry.example/main:1" };
      const spec = {
        affinity,
        terminationGracePeriodSeconds: 1,
        // Its volume is still attached when its Node's satellite is deleted.
        tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 15 }],
        containers: [{ ...container, volumeMounts: [{ name: "data", mountPath: "/data" }] }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: name } }],
      };
      const template = { metadata: { labels: { app: name } }, spec };
      await admin.create(StatefulSet, statefulSet({ namespace, name }, { replicas: 1, template }));
      await harness.until(`${name} runs on ${on}`, async () => (await harness.runsOn(name)) === on);
      await harness.until(`${name} is attached to ${on}`, async () => {
        const all = await Array.fromAsync(admin.list<VolumeAttachmentObject>(VolumeAttachment));
        return all.some(({ spec, status }) => spec.source.persistentVolumeName === name && status?.attached);
      });
    },
    async runsOn(name) {
      const pod = await harness.get<KubernetesObject & { spec: { nodeName?: string }; status?: { phase?: string } }>(
        Pod,
        `${name}-0`,
      );
      return pod?.status?.phase === "Running" && !pod.metadata.deletionTimestamp ? pod.spec.nodeName : undefined;
    },
    async condition(node, type) {
      const satellite = await harness.get<LinstorSatelliteObject>(LinstorSatellite, node);
      return satellite?.status?.conditions?.find((one) => one.type === type) as never;
    },
    isListed: async (node) => (await linstor.nodes.get(node)) !== undefined,
    poolProperty: async (node, name) =>
      (await linstor.pools.onNode(node))?.find((pool) => pool.name === poolName)?.props[name],
    async stop() {
      ended.abort(new Error("The suite is over."));
      for (const end of ends.reverse()) await end();
      const left: [Kind, string][] = volumes.map((name) => [PersistentVolume, name]);
      for (const kind of [LinstorCluster, LinstorSatelliteConfiguration, LinstorSatellite])
        for await (const { metadata } of admin.list(kind)) left.push([kind, metadata.name]);
      for (const [kind, name] of [...left, ...nodes.map((name) => [Node, name] as const)]) {
        await admin.delete(kind, undefined, name);
        await admin.patch(kind, undefined, name, "merge", { metadata: { finalizers: null } });
      }
      await server.close();
    },
  };
  return harness;
}

const poolName = "pool1";
const rack = { name: "Aux/rack", valueFrom: { nodeFieldRef: "metadata.labels['rack']" }, optional: true };
const storagePools = [{ name: poolName, fileThinPool: { directory: "/srv/pool" }, properties: [rack] }];
const attributes = {
  "linstor.csi.linbit.com/uses-volume-context": "true",
  "linstor.csi.linbit.com/remote-access-policy": "true",
};
