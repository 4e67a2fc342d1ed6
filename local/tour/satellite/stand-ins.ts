import { seededRandom } from "../../../eventing/random.ts";
import { Cluster, LinstorSatellite, Machine } from "../../../functions/satellite/lib/kinds.ts";
import { csiDriver } from "../../../functions/satellite/lib/volumes.ts";
import { type Kind, Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { OwnCluster } from "../../cluster/running-cluster.ts";
import { definitions, GenericMachine } from "../../cluster-api/kinds.ts";
import { startMachines } from "../../cluster-api/start-machines.ts";
import { createControllerTools } from "../../controllers/controller-tools.ts";
import { CustomResourceDefinition } from "../../controllers/objects/kinds.ts";
import { createLinstor } from "../../linstor/linstor.ts";
import { startAffinityController } from "../../piraeus/start-affinity-controller.ts";
import { startVolumeUsers } from "../../piraeus/start-volume-users.ts";
import { serveSystem } from "../../system-server/serve-system.ts";
import { untilAborted } from "../../time/until-aborted.ts";
import { tourNamespace } from "../namespace.ts";
import type { TourWorld } from "../tour.ts";

/** Storage nodes of the tour, with a label by which a LinstorCluster selects them. */
export const storageNodes = ["storage-1", "storage-2", "storage-3", "storage-4"] as const;
export const storageLabel = { "holdfast-tour": "storage" };
type StorageNode = (typeof storageNodes)[number];

/** What lies outside of the functions: LINSTOR with its satellites, Cluster API, and what attaches volumes. */
export type StandIns = Awaited<ReturnType<typeof startStandIns>>;

const second = 1000;
/** All waits are shortened, so that no one has to wait for a tour. */
const times = { syncTime: 3 * second, affinity: 1.5 * second, leaving: 1.5 * second, machines: 1 * second };
const addressOf = (node: StorageNode) => `10.9.0.${storageNodes.indexOf(node) + 1}`;

/** Starts the stand-ins. Resolves with them and LINSTOR's address. */
export async function startStandIns(world: TourWorld, own: OwnCluster) {
  const { client, signal } = world;
  const clock = untilAborted(world.clock, signal);
  const random = seededRandom(clock.now());
  const linstor = createLinstor({ clock, random, syncTime: times.syncTime });
  const server = await serveSystem(linstor.transport);
  signal.addEventListener("abort", () => void server.close());
  for (const definition of definitions)
    await client.create(CustomResourceDefinition, definition as unknown as KubernetesObject);
  const tools = createControllerTools({ ...own, clock, random, signal });
  await startMachines(tools, { pollInterval: times.machines }).synced;
  startAffinityController(tools, times.affinity);
  const users = startVolumeUsers(tools, linstor, { leaving: times.leaving });

  const history: KubernetesObject[] = [];

  const create = (kind: Kind, object: { metadata: object; [field: string]: unknown }) =>
    client.create(kind, { apiVersion: kind.apiVersion, kind: kind.kind, ...object } as unknown as KubernetesObject);
  const post = async (path: string, body: object) => {
    const { status, body: text } = await linstor.transport({
      method: "POST",
      path,
      headers: {},
      body: JSON.stringify(body),
    });
    if (status >= 300) throw new Error(`LINSTOR answered ${path} with ${status}: ${text}`);
  };

  await create(Cluster, { metadata: { name: "tour", namespace: tourNamespace }, spec: {} });
  for (const node of storageNodes) {
    linstor.startSatellite(addressOf(node));
    const address = { address: addressOf(node), satellite_port: 3366, satellite_encryption_type: "Plain" };
    const props = { "Aux/piraeus.io/managed-by": "tour" };
    const net_interfaces = [{ name: "default", ...address }];
    await post("/v1/nodes", { name: node, type: "Satellite", net_interfaces, props });
    const storage = { "StorDriver/StorPoolName": "/srv/pool" };
    const pool = { storage_pool_name: "pool1", provider_kind: "FILE_THIN", props: storage };
    await post(`/v1/nodes/${node}/storage-pools`, pool);
    const labels = { ...storageLabel, "linbit.com/hostname": node };
    await create(Node, { metadata: { name: node, labels }, spec: { providerID: `generic:///${node}` } });
  }

  return {
    url: server.url,
    linstor,
    /**
     * Every version of volumes, Machines and LinstorSatellites since `follow`: a busy machine shows some for a moment
     * only.
     */
    history,
    /** Begins the history, once all of these kinds are served. */
    follow() {
      for (const kind of [PersistentVolume, Machine, LinstorSatellite])
        tools.reflections.of(kind).on((_, object) => void history.push(object));
    },
    /** Whether LINSTOR lists a node. */
    async lists(node: string) {
      const { status } = await linstor.transport({ method: "GET", path: `/v1/nodes/${node}`, headers: {} });
      return status === 200;
    },
    /** A volume of two copies, used on the first node and bound to it by its node affinity. */
    async volume(name: string, first: StorageNode, other: StorageNode) {
      linstor.addVolume(name, { copies: [first, other] });
      const volumeAttributes = {
        "linstor.csi.linbit.com/uses-volume-context": "true",
        "linstor.csi.linbit.com/remote-access-policy": "false",
      };
      const expression = { key: "linbit.com/hostname", operator: "In", values: [first] };
      await create(PersistentVolume, {
        metadata: { name },
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          persistentVolumeReclaimPolicy: "Retain",
          claimRef: { namespace: tourNamespace, name },
          csi: { driver: csiDriver, volumeHandle: name, volumeAttributes },
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
        },
      });
      await users.attach(name, first);
    },
    async machine(name: string, node: StorageNode, labels: Readonly<Record<string, string>> = {}) {
      const metadata = { name, namespace: tourNamespace, labels };
      await create(GenericMachine, { metadata: { name, namespace: tourNamespace }, spec: {} });
      const spec = { clusterName: "tour", providerID: `generic:///${node}`, infrastructureRef: { name } };
      await create(Machine, { metadata, spec });
    },
    stopSatellite: (node: StorageNode) => linstor.stopSatellite(addressOf(node)),
  };
}
