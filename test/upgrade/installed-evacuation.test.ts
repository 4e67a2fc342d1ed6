import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import {
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
} from "../../functions/satellite/lib/kinds.ts";
import { csiDriver } from "../../functions/satellite/lib/volumes.ts";
import { createControllerTools } from "../../local/controllers/controller-tools.ts";
import { CustomResourceDefinition } from "../../local/controllers/objects/kinds.ts";
import { createLinstor, type LinstorStandIn } from "../../local/linstor/linstor.ts";
import { startAffinityController } from "../../local/piraeus/start-affinity-controller.ts";
import { startVolumeUsers } from "../../local/piraeus/start-volume-users.ts";
import type { Clock } from "../../shared/clock.ts";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { ExternalSystem } from "../../shared/system/system.ts";
import type { SystemTransport } from "../../shared/system/transport.ts";
import { advanceUntilSettled } from "../harness/advance-until-settled.ts";
import type { Cluster, OtherRelease, Setting } from "../harness/cluster.ts";
import { manifest, persistentVolume } from "../harness/manifest.ts";
import { openCluster } from "../harness/open-cluster.ts";
import { loadPrevious, previousCommit } from "./previous-release.ts";

const nodes = ["node-1", "node-2", "node-3", "node-4"];
const leaving = "node-1";
const copies = { "pvc-1": ["node-1", "node-2"], "pvc-2": ["node-1"] };

describe.skipIf(!previousCommit)("in the middle of an evacuation, with the manifests of each release", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-previous-"));
  let previous: OtherRelease;
  beforeAll(async () => {
    previous = await loadPrevious(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(["previous", "present"])(
    "the %s release begins, the other goes on, and the first one ends it",
    async (of) => {
      const [first, second] = of === "previous" ? [previous, undefined] : [undefined, previous];
      const { cluster, linstor, evacuated } = await openSite(first);
      const upgrade = cluster.upgrade as NonNullable<typeof cluster.upgrade>;
      const until = untilIn(cluster);
      const marksOn = async (name: string) => {
        const { annotations = {} } = (await cluster.admin.get(PersistentVolume, undefined, name))?.metadata ?? {};
        return Object.keys(annotations).filter((key) => key.endsWith(`/${leaving}`));
      };
      const definition = async () =>
        (await cluster.admin.get(CustomResourceDefinition, undefined, "linstorsatellites.piraeus.io"))?.metadata;
      const generation = (await definition())?.generation as number;
      const isThere = async () => (await cluster.admin.get(LinstorSatellite, undefined, leaving)) !== undefined;
      await cluster.admin.patch(Node, undefined, leaving, "merge", { metadata: { labels: { storage: null } } });
      await until("pvc-1 is waited for", async () => (await marksOn("pvc-1")).length > 0);
      await upgrade(second);
      expect(await isThere()).toBe(true);
      await cluster.admin.patch(Node, undefined, leaving, "merge", { spec: { unschedulable: true } });
      await until("LINSTOR is called", () => evacuated.length > 0);
      await upgrade(first);
      // LINSTOR makes the copies for two minutes.
      expect(linstor.goodCopies("pvc-2")).toEqual([leaving]);
      expect(await isThere()).toBe(true);
      await until("the satellite is gone", async () => !(await isThere()));
      expect(evacuated).toEqual([leaving]);
      expect(linstor.nodes()).not.toContain(leaving);
      for (const name of Object.keys(copies)) {
        expect(linstor.goodCopies(name)).not.toEqual([]);
        expect(await marksOn(name)).toEqual([]);
      }
      // Each release has brought its own definitions.
      expect((await definition())?.generation).toBe(generation + 2);
      expect(cluster.asked.filter(({ denied }) => denied)).toEqual([]);
    },
  );
});

/** Four nodes whose satellites a release looks after, and a LINSTOR with two volumes on the one that is to leave. */
async function openSite(release: OtherRelease | undefined) {
  const evacuated: string[] = [];
  let linstor = undefined as LinstorStandIn | undefined;
  const transport: SystemTransport = (request) => {
    const node = /^\/v1\/nodes\/([^/]+)\/evacuate$/.exec(request.path)?.[1];
    if (node) evacuated.push(node);
    return (linstor as LinstorStandIn).transport(request);
  };
  const setting: Setting = {
    name: "with satellites",
    inTree: true,
    environment: { "platform-sweep": { TICK: "5" } },
    components: ["access/satellite", "satellite"],
    connect(clock: Clock) {
      linstor = createLinstor({ clock, random: seededRandom(2), syncTime: 120_000 });
      return <Client>(system: ExternalSystem<Client>) => {
        const settings = system.settings.parse({ linstorAllowHttp: "in-cluster" }) as never;
        return system.connect({
          transport,
          transportTo: () => transport,
          clock,
          settings,
          credential: async () => undefined,
        });
      };
    },
    ...(release ? { release } : {}),
  };
  const cluster = (await openCluster(setting)) as Cluster & { stop(): Promise<void> };
  onTestFinished(() => cluster.stop());
  const { admin } = cluster;
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const tools = createControllerTools({ ...cluster, random: seededRandom(3), signal: ended.signal });
  const standIn = linstor as unknown as LinstorStandIn;
  const users = startVolumeUsers(tools, standIn);
  startAffinityController(tools);
  await admin.create(
    LinstorCluster,
    manifest(LinstorCluster, { name: "one" }, { spec: { nodeSelector: { storage: "yes" } } }),
  );
  const spec = {
    deletionPolicy: "Evacuate",
    storagePools: [{ name: "pool1", fileThinPool: { directory: "/srv/pool" } }],
  };
  await admin.create(LinstorSatelliteConfiguration, manifest(LinstorSatelliteConfiguration, { name: "all" }, { spec }));
  for (const name of nodes) {
    await advanceUntilSettled(cluster, `${name} is registered`, register(standIn, name));
    const labels = { "linbit.com/hostname": name, storage: "yes" };
    await admin.create(Node, manifest(Node, { name, labels }, { spec: { providerID: `generic:///${name}` } }));
  }
  for (const [name, on] of Object.entries(copies)) {
    standIn.addVolume(name, { copies: on });
    await admin.create(PersistentVolume, persistentVolume({ name }, volumeSpec(name)));
  }
  await users.attach("pvc-1", leaving);
  await untilIn(cluster)("each node has a satellite that is ready", async () => {
    const satellites = await Promise.all(
      nodes.map((name) => admin.get<Conditioned>(LinstorSatellite, undefined, name)),
    );
    return satellites.every((one) => one?.status?.conditions?.some(isReady));
  });
  return { cluster, linstor: standIn, evacuated };
}

type Condition = { readonly type: string; readonly status: string };
type Conditioned = KubernetesObject & { readonly status?: { readonly conditions?: readonly Condition[] } };
const isReady = ({ type, status }: Condition) => type === "Configured" && status === "True";

/** Waits for twenty minutes at most, in which the sweep comes each minute. */
const untilIn = (cluster: Cluster) => async (what: string, check: () => boolean | Promise<boolean>) => {
  for (let minute = 0; minute < 20; minute++) {
    if (await cluster.eventually(what, check, 60_000).catch(() => false)) return;
    await cluster.sweep();
  }
  throw new Error(`Did not come true: ${what}.`);
};

/** As Holdfast registers a node, which runs a satellite. */
async function register(linstor: LinstorStandIn, name: string): Promise<void> {
  const address = `10.0.0.${name.at(-1)}`;
  linstor.startSatellite(address);
  const post = (path: string, body: object) =>
    linstor.transport({ method: "POST", path, headers: {}, body: JSON.stringify(body) });
  await post("/v1/nodes", {
    name,
    type: "Satellite",
    net_interfaces: [{ name: "default", address, satellite_port: 3366, satellite_encryption_type: "Plain" }],
    props: { "Aux/piraeus.io/managed-by": "test" },
  });
  const props = { "StorDriver/StorPoolName": "/srv/pool", "Aux/piraeus.io/last-applied": "[]" };
  const pool = { storage_pool_name: "pool1", provider_kind: "FILE_THIN", props };
  await post(`/v1/nodes/${name}/storage-pools`, pool);
}

const volumeSpec = (name: string) => ({
  claimRef: { namespace: "default", name },
  csi: {
    driver: csiDriver,
    volumeHandle: name,
    volumeAttributes: {
      "linstor.csi.linbit.com/uses-volume-context": "true",
      "linstor.csi.linbit.com/remote-access-policy": "true",
    },
  },
});
