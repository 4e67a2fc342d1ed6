import { parse } from "yaml";
import { seededRandom } from "../../eventing/random.ts";
import {
  DaemonSet,
  daemonSetName,
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
} from "../../functions/satellite/lib/kinds.ts";
import { linstor as linstorSystem } from "../../functions/satellite/lib/linstor/system.ts";
import { admissionPolicy } from "../../functions/satellite/lib/matching/candidate.ts";
import { type LinstorSatelliteObject, lifeConditions } from "../../functions/satellite/lib/satellite.ts";
import { csiDriver } from "../../functions/satellite/lib/volumes.ts";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import { phaseOf, type VolumeObject } from "../../functions/volume/lib/volume.ts";
import { createLinstor } from "../../local/linstor/linstor.ts";
import type { Clock } from "../../shared/clock.ts";
import { applyJsonPatch } from "../../shared/kubernetes/json-patch.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { readSettings } from "../../shared/settings.ts";
import type { Connect } from "../../shared/system/connect.ts";
import { atOneRoot } from "../../shared/system/testing/at-one-root.ts";
import { claim, manifest } from "../../test/harness/manifest.ts";
import type { Server } from "../../test/harness/server.ts";
import { readKustomization } from "../../test/manifests/kustomization.ts";
import { minion } from "../../test/scenarios/volume/helpers.ts";
import { standInSalt } from "../../test/scenarios/volume/settings.ts";

/** An optional system, with what it looks after. */
export interface RestingSystem {
  /** Components of `knative/`, as its overlay lists them. */
  readonly components: readonly string[];
  /** The external system that it needs. */
  readonly externalSystem: string;
  /** What an administrator's component makes of an object. */
  readonly edit?: (object: KubernetesObject) => KubernetesObject;
  /** Nodes beside the default's, each with a kubelet. */
  readonly nodes: readonly string[];
  /** Connects functions with a stand-in of the external system, and says what is to be put on the cluster. */
  begin(clock: Clock): {
    readonly connect: Connect;
    /** Resolves when there is nothing left to do. */
    populate(server: Server): Promise<void>;
  };
}

const halfAnHour = 1_800_000;

/** One Volume on the emulated Salt, which a claim has bound. */
export const oneVolume: RestingSystem = {
  externalSystem: "salt",
  components: standInSalt.components,
  nodes: [minion],
  begin: (clock) => ({
    connect: standInSalt.connect?.(clock) as Connect,
    async populate({ admin, eventually }) {
      const [name, storageClassName] = ["volume-1", "local"];
      const provisioner = "kubernetes.io/no-provisioner";
      const parameters = { fsType: "ext4" };
      await admin.create(StorageClass, manifest(StorageClass, { name: storageClassName }, { provisioner, parameters }));
      const spec = { nodeName: minion, storageClassName, sparseLoopDevice: { size: "16Mi" } };
      await admin.create(Volume, manifest(Volume, { name }, { spec }));
      const isReady = async () => {
        const volume = await admin.get<VolumeObject>(Volume, undefined, name);
        return volume !== undefined && phaseOf(volume) === "Available" && volume.status?.deviceName !== undefined;
      };
      await eventually("the Volume is available", isReady, halfAnHour);
      const wanted = { storageClassName, resources: { requests: { storage: "16Mi" } } };
      await admin.create(PersistentVolumeClaim, claim({ namespace: "default", name: "on-a-volume" }, wanted));
      const isBound = async () => {
        const volume = await admin.get<KubernetesObject & { status?: { phase?: string } }>(
          PersistentVolume,
          undefined,
          name,
        );
        return volume?.status?.phase === "Bound";
      };
      await eventually("the claim is bound", isBound, halfAnHour);
    },
  }),
};

const namespace = "piraeus-datastore";

/** Satellites of one LinstorCluster on the emulated LINSTOR, with a volume that has copies on two of them. */
const satellites = (nodes: readonly string[]): RestingSystem => ({
  externalSystem: linstorSystem.name,
  components: ["access/satellite", "satellite"],
  nodes,
  begin(clock) {
    const linstor = createLinstor({ clock, random: seededRandom(7) });
    const client = linstorSystem.connect({
      ...atOneRoot(linstor.transport),
      clock,
      settings: readSettings(linstorSystem.settings, { LINSTOR_ALLOW_HTTP: "in-cluster" }),
      credential: async () => undefined,
    });
    return { connect: <Client>() => client as Client, populate };

    async function populate(server: Server): Promise<void> {
      const { admin, eventually } = server;
      const storagePools = [{ name: "pool1", fileThinPool: { directory: "/srv/pool" } }];
      const spec = { deletionPolicy: "Evacuate", storagePools };
      await admin.create(
        LinstorSatelliteConfiguration,
        manifest(LinstorSatelliteConfiguration, { name: "all" }, { spec }),
      );
      const nodeAffinity = {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [...nodes] }] },
        ],
      };
      await admin.create(
        LinstorCluster,
        manifest(LinstorCluster, { name: "linstorcluster" }, { spec: { nodeAffinity } }),
      );
      for (const node of nodes) await startPod(server, node);
      const isUp = async () => {
        const satellites = await Array.fromAsync(admin.list<LinstorSatelliteObject>(LinstorSatellite));
        return satellites.length === nodes.length && satellites.every(isWell);
      };
      await eventually("all satellites are configured", isUp, halfAnHour);
      linstor.addVolume("pvc-1", { copies: nodes.slice(0, 2) });
      const capacity = { storage: "1Gi" };
      const csi = { driver: csiDriver, volumeHandle: "pvc-1" };
      const wanted = { capacity, accessModes: ["ReadWriteOnce"], persistentVolumeReclaimPolicy: "Retain", csi };
      await admin.create(PersistentVolume, manifest(PersistentVolume, { name: "pvc-1" }, { spec: wanted }));
    }

    /** What the controller of DaemonSets would do, and the satellite in the pod. */
    async function startPod({ admin, eventually }: Server, node: string): Promise<void> {
      type Workload = KubernetesObject & { spec: { template: { metadata: object; spec: object } } };
      const set = await eventually(
        `${node} has its DaemonSet`,
        () => admin.get<Workload>(DaemonSet, namespace, daemonSetName(node)),
        halfAnHour,
      );
      const { apiVersion, kind } = DaemonSet;
      const { name: owner, uid } = set.metadata;
      const { metadata, spec } = set.spec.template;
      const name = `satellite-${node}`;
      const ownerReferences = [{ apiVersion, kind, name: owner, uid, controller: true }];
      const pod = manifest(
        Pod,
        { ...metadata, name, namespace, ownerReferences },
        { spec: { ...spec, nodeName: node } },
      );
      await admin.create(Pod, pod);
      const address = await eventually(`${name} has an address`, async () => {
        const pod = await admin.get<KubernetesObject & { status?: { podIP?: string } }>(Pod, namespace, name);
        return pod?.status?.podIP;
      });
      linstor.startSatellite(address);
      const status = { numberReady: 1 };
      await admin.patch(DaemonSet, namespace, owner, "merge", { status }, { subresource: "status" });
    }
  },
});

export const threeSatellites = satellites(["node-1", "node-2", "node-3"]);
export const fiftySatellites = satellites(Array.from({ length: 50 }, (_, index) => `node-${index + 1}`));

/** Satellites beside their admission policy, as its component has them. */
export const withAdmissionPolicy = (system: RestingSystem): RestingSystem => ({
  ...system,
  components: [...system.components, ...["access", "policy", "source"].map(optionFile)],
  edit: (object) => (object.kind === "Trigger" ? patched(object, optionPatches) : object),
});

/** Several systems on one cluster. */
export const together = (...systems: readonly RestingSystem[]): RestingSystem => ({
  externalSystem: systems.map(({ externalSystem }) => externalSystem).join(),
  components: systems.flatMap(({ components }) => components),
  nodes: systems.flatMap(({ nodes }) => nodes),
  edit: (object) => systems.reduce((object, { edit }) => edit?.(object) ?? object, object),
  begin(clock) {
    const begun = systems.map((system) => ({ ...system.begin(clock), of: system.externalSystem }));
    return {
      connect: (system) => {
        const found = begun.find(({ of }) => of === system.name);
        if (!found) throw new Error(`There is no stand-in of ${system.name}.`);
        return found.connect(system);
      },
      async populate(server) {
        for (const { populate } of begun) await populate(server);
      },
    };
  },
});

const option = `satellite/${admissionPolicy}`;
const optionFile = (name: string) => `${option}/${name}.yaml`;
const optionPatches = readKustomization(`knative/${option}`).patches;

/** What JSON patches for an object of this name make of it. */
const patched = (object: KubernetesObject, patches: typeof optionPatches): KubernetesObject =>
  patches
    .filter(({ target }) => target.kind === object.kind && target.name === object.metadata.name)
    .reduce((object, { patch }) => applyJsonPatch(structuredClone(object), parse(patch)) as KubernetesObject, object);

const isWell = ({ status }: LinstorSatelliteObject) =>
  Object.values(lifeConditions).every((type) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === "True"),
  );
