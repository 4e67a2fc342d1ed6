import { bases, dependents } from "../../functions/eviction/lib/kinds.ts";
import { approvalKey, finalizerOf, l2Finalizer } from "../../functions/eviction/lib/names.ts";
import {
  Cluster,
  DaemonSet,
  daemonSetName,
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
  Machine,
  satelliteLabel,
  VolumeAttachment,
} from "../../functions/satellite/lib/kinds.ts";
import { machineLeavesLabel, preDrainHook } from "../../functions/satellite/lib/machine.ts";
import { satelliteFinalizer } from "../../functions/satellite/lib/satellite.ts";
import { csiDriver } from "../../functions/satellite/lib/volumes.ts";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import { salt } from "../../functions/volume/lib/salt/system.ts";
import { volumeFinalizer } from "../../functions/volume/lib/volume.ts";
import { CustomResourceDefinition } from "../../local/controllers/objects/kinds.ts";
import { createLinstor } from "../../local/linstor/linstor.ts";
import { createOpenStack } from "../../local/openstack/openstack.ts";
import { storageRights } from "../../local/salt/api/rights.ts";
import { volumeFunctions } from "../../local/salt/node/functions.ts";
import { createNode } from "../../local/salt/node/node.ts";
import { createSalt } from "../../local/salt/salt.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { type Kind, Namespace, Node, PersistentVolume, Pod, StorageClass } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectMeta } from "../../shared/kubernetes/object.ts";
import { readSettings } from "../../shared/settings.ts";
import type { SystemRequest, SystemTransport } from "../../shared/system/transport.ts";
import { definition, manifest, pod } from "../harness/manifest.ts";
import type { Reach } from "./cost-of-event.ts";

/** Crowds of the systems that are not part of the default, each with the external system that it is asked of. */

/** A crowd on an API server, and what answers in the place of its external system. */
export interface Crowd {
  /** How many objects of each kind it has at most: few where they take long to create. */
  readonly size: number;
  /** The objects of which events come: the first of each kind. */
  readonly members: readonly (readonly [Kind, string])[];
  /** Creates `size` objects of each kind; those that have a finalizer are deleted where they are `leaving`. */
  readonly fill: (admin: Client, size: number, leaving: boolean) => Promise<void>;
  /** The external system with `size` nodes, of which the first has `size` of what it serves. */
  readonly reach: (size: number) => Reach;
}

const namespace = "shop";
const nodeName = (i: number) => `node-${i}`;
const scope = ({ namespaced }: Kind) => (namespaced ? namespace : undefined);

/** Creates an object with its status. */
async function put(admin: Client, kind: Kind, metadata: Partial<ObjectMeta>, rest: Record<string, unknown> = {}) {
  const { status, ...spec } = rest;
  const own = kind.namespaced ? { namespace } : {};
  const made = await admin.create(kind, manifest(kind, { ...own, ...metadata }, spec));
  if (status) await admin.patch(kind, scope(kind), made.metadata.name, "merge", { status }, { subresource: "status" });
  return made;
}

const define = async (admin: Client, kinds: readonly Kind[]) => {
  for (const kind of kinds) {
    const { spec, ...rest } = definition(kind) as KubernetesObject & { spec: { versions: object[] } };
    const versions = spec.versions.map((version) => ({ ...version, subresources: { status: {} } }));
    await admin.create(CustomResourceDefinition, { ...rest, spec: { ...spec, versions } });
  }
  await admin.create(Namespace, manifest(Namespace, { name: namespace }));
};

const owner = ({ apiVersion, kind, metadata: { name, uid } }: KubernetesObject) => ({
  ...{ apiVersion, kind, name, uid },
  controller: true,
});

const satellites: Crowd = {
  size: 20,
  members: [
    [Node, nodeName(0)],
    [LinstorCluster, "linstorcluster"],
    [LinstorSatellite, nodeName(0)],
    [LinstorSatelliteConfiguration, "pools-0"],
    [DaemonSet, daemonSetName(nodeName(0))],
    [Machine, nodeName(0)],
    [Namespace, namespace],
    [PersistentVolume, "pv-0"],
    [VolumeAttachment, "pv-0"],
  ],
  async fill(admin, size, leaving) {
    await define(admin, [LinstorCluster, LinstorSatellite, LinstorSatelliteConfiguration, Machine, Cluster]);
    const cluster = await put(admin, LinstorCluster, { name: "linstorcluster" }, { spec: {} });
    await put(admin, Cluster, { name: "test" }, { spec: {} });
    for (let i = 0; i < size; i++) {
      const name = nodeName(i);
      await put(admin, LinstorSatelliteConfiguration, { name: `pools-${i}` }, { spec: { properties: [] } });
      const annotations = { "cluster.x-k8s.io/machine": name, "cluster.x-k8s.io/cluster-namespace": namespace };
      await put(admin, Node, { name, annotations, labels: { "linbit.com/hostname": name } });
      const satellite = await put(
        admin,
        LinstorSatellite,
        {
          name,
          finalizers: [satelliteFinalizer],
          labels: { [machineLeavesLabel]: "true" },
          annotations: { "holdfast.dev/machine": JSON.stringify({ namespace, name, deleting: leaving || undefined }) },
          ownerReferences: [owner(cluster)],
        },
        { spec: { clusterRef: { name: "linstorcluster" }, deletionPolicy: "Evacuate" } },
      );
      const labels = { [satelliteLabel]: satellite.metadata.uid };
      const template = { metadata: { labels }, spec: { containers: [{ name: "linstor-satellite", image: "a" }] } };
      const set = await put(
        admin,
        DaemonSet,
        { name: daemonSetName(name), labels, ownerReferences: [owner(satellite)] },
        { spec: { selector: { matchLabels: labels }, template } },
      );
      const ofSet = { name: `satellite-${i}`, namespace, labels, ownerReferences: [owner(set)] };
      await admin.create(Pod, pod(ofSet, [], { nodeName: name }));
      const ip = addressOf(name);
      const status = { phase: "Running", podIP: ip, podIPs: [{ ip }] };
      await admin.patch(Pod, namespace, ofSet.name, "merge", { status }, { subresource: "status" });
      await put(
        admin,
        Machine,
        { name, annotations: { [preDrainHook]: "" }, finalizers: ["machine.cluster.x-k8s.io"] },
        { spec: { clusterName: "test" }, status: { nodeRef: { name } } },
      );
      // All of them are volumes of the first node: that is what its evacuation is about.
      const csi = { driver: csiDriver, volumeHandle: `pv-${i}` };
      await put(
        admin,
        PersistentVolume,
        { name: `pv-${i}` },
        {
          spec: {
            ...{ capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], csi },
            claimRef: { namespace, name: `claim-${i}`, uid: `u-${i}` },
          },
          status: { phase: "Bound" },
        },
      );
      await put(
        admin,
        VolumeAttachment,
        { name: `pv-${i}` },
        {
          spec: { attacher: csiDriver, nodeName: nodeName(0), source: { persistentVolumeName: `pv-${i}` } },
          status: { attached: true },
        },
      );
      if (leaving) {
        await admin.delete(LinstorSatellite, undefined, name);
        await admin.delete(Machine, namespace, name);
      }
    }
  },
  reach: (size) => async (clock, random) => {
    const linstor = createLinstor({ clock, random, syncTime: 20_000 });
    const names = Array.from({ length: size }, (_, i) => nodeName(i));
    const post = (path: string, body: object) => {
      const request: SystemRequest = { method: "POST", path, headers: {}, body: JSON.stringify(body) };
      return linstor.transport(request);
    };
    for (const name of names) {
      const address = addressOf(name);
      linstor.startSatellite(address);
      const one = { name: "default", address, satellite_port: 3366, satellite_encryption_type: "Plain" };
      const props = { "Aux/piraeus.io/managed-by": "holdfast" };
      await post("/v1/nodes", { name, type: "Satellite", net_interfaces: [one], props });
      const pool = { storage_pool_name: "pool1", provider_kind: "FILE_THIN" };
      await post(`/v1/nodes/${name}/storage-pools`, { ...pool, props: { "StorDriver/StorPoolName": "/srv" } });
    }
    for (let i = 0; i < size; i++)
      linstor.addVolume(`pv-${i}`, { copies: [nodeName(0), names[1 + (i % (size - 1))] as string], placeCount: 2 });
    return atAnyRoot(linstor.transport);
  },
};

const addressOf = (name: string) => `10.0.0.${name.replace("node-", "")}`;
const atAnyRoot = (transport: SystemTransport) => ({
  transportTo: () => transport,
  environment: { LINSTOR_ALLOW_HTTP: "in-cluster" },
});

const evictions: Crowd = {
  size: 10,
  members: [
    ...[...bases, ...dependents].map((kind) => [kind, nodeName(0)] as const),
    [Node, nodeName(0)],
    [Pod, "agent-0"],
  ],
  async fill(admin, size, leaving) {
    const kinds = [...bases, ...dependents];
    await define(admin, kinds);
    const template = { spec: { containers: [{ name: "agent", image: "registry.example/agent:1" }] } };
    for (let i = 0; i < size; i++) {
      const name = nodeName(i);
      await put(admin, Node, { name });
      for (const kind of kinds) {
        const finalizer = bases.includes(kind) ? l2Finalizer : finalizerOf(kind);
        const annotations = { [approvalKey]: "true" };
        const spec = { state: "Enabled", lockName: "lock", template };
        const made = await put(admin, kind, { name, annotations, finalizers: [finalizer] }, { spec });
        // The pods of all agents are on the first node, so that what looks at a node's pods has many.
        const metadata = { name: `agent-${i}`, namespace, ownerReferences: [owner(made)] };
        if (kind === bases[0]) await admin.create(Pod, pod(metadata, [], { nodeName: nodeName(0) }));
        if (leaving) await admin.delete(kind, namespace, name);
      }
    }
  },
  reach: (size) => async (clock, random) => {
    const hosts = Array.from({ length: size }, (_, i) => nodeName(i));
    const { authUrl, transportTo, cloud, network } = createOpenStack({ clock, random, hosts, password });
    for (let i = 0; i < size; i++) {
      cloud.boot(`server-${i}`, nodeName(0), "admin");
      for (const sort of ["l3", "dhcp", "bgp"] as const)
        network.create(sort, `${sort}-${i}`).agents = [network.agent(nodeName(0), sort).id];
    }
    return { transportTo, environment: { OS_AUTH_URL: authUrl, AGENT_NAMESPACE: namespace } };
  },
};

const password = "secret";

const volumes: Crowd = {
  size: 10,
  members: [
    [Volume, "volume-0"],
    [PersistentVolume, "volume-0"],
  ],
  async fill(admin, size, leaving) {
    await define(admin, [Volume]);
    await put(admin, StorageClass, { name: "metalk8s" }, { provisioner: "kubernetes.io/no-provisioner" });
    await put(admin, Node, { name: nodeName(0) });
    for (let i = 0; i < size; i++) {
      const name = `volume-${i}`;
      const spec = { nodeName: nodeName(0), storageClassName: "metalk8s", sparseLoopDevice: { size: "10Gi" } };
      const made = await put(admin, Volume, { name, finalizers: [volumeFinalizer] }, { spec });
      await put(
        admin,
        PersistentVolume,
        { name, finalizers: [volumeFinalizer], ownerReferences: [owner(made)] },
        {
          spec: {
            ...{ capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
            local: { path: `/dev/disk/by-uuid/${made.metadata.uid}` },
          },
          status: { phase: "Available" },
        },
      );
      if (leaving) {
        await admin.delete(Volume, undefined, name);
        await admin.delete(PersistentVolume, undefined, name);
      }
    }
  },
  reach: () => async (clock, random) => {
    const { saltUsername } = readSettings(salt.settings, {});
    const minions = { [nodeName(0)]: volumeFunctions(createNode(nodeName(0))) };
    const { transport } = createSalt({ clock, random, minions, accounts: { [saltUsername]: storageRights }, password });
    return atAnyRoot(transport);
  },
};

/** The crowd in which a rule of a system works, by the system's name. */
export const crowdsOfSystems: Readonly<Record<string, Crowd>> = {
  satellite: satellites,
  eviction: evictions,
  volume: volumes,
};
