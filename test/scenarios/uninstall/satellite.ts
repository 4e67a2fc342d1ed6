import { expect } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { DaemonSet, LinstorCluster, LinstorSatellite, satelliteLabel } from "../../../functions/satellite/lib/kinds.ts";
import { linstor } from "../../../functions/satellite/lib/linstor/system.ts";
import { type LinstorSatelliteObject, satelliteFinalizer } from "../../../functions/satellite/lib/satellite.ts";
import { createLinstor, type LinstorStandIn } from "../../../local/linstor/linstor.ts";
import { type Kind, Node, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readSettings } from "../../../shared/settings.ts";
import type { ExternalSystem } from "../../../shared/system/system.ts";
import { atOneRoot } from "../../../shared/system/testing/at-one-root.ts";
import type { Cluster, Setting } from "../../harness/cluster.ts";
import { kubeletNode } from "../../harness/cluster-objects.ts";
import { manifest } from "../../harness/manifest.ts";

const namespace = "piraeus-datastore";
const selected = "holdfast.test/satellite";
const standIns = new WeakMap<Setting, LinstorStandIn>();

/** With the stand-in for LINSTOR, a new one for each cluster. */
export function standInLinstor(changes: Partial<Setting>): Setting {
  const setting: Setting = {
    name: "with the stand-in for LINSTOR",
    inTree: true,
    environment: { "platform-sweep": { TICK: "2" } },
    components: ["access/satellite", "satellite"],
    connect: (clock) => {
      const standIn = createLinstor({ clock, random: seededRandom(11) });
      standIns.set(setting, standIn);
      const settings = readSettings(linstor.settings, { LINSTOR_ALLOW_HTTP: "true" });
      const client = linstor.connect({
        ...atOneRoot(standIn.transport),
        clock,
        settings,
        credential: async () => undefined,
      });
      return <Client>(system: ExternalSystem<Client>) => {
        if (system.name !== linstor.name) throw new Error(`There is no ${system.name} here.`);
        return client as Client;
      };
    },
    ...changes,
  };
  return setting;
}

/** A Node gets a satellite, which LINSTOR lists; the satellite and its DaemonSet stay when Holdfast goes. */
export async function playSatellite(cluster: Cluster) {
  const { admin } = cluster;
  const standIn = standIns.get(cluster.setting);
  if (!standIn) throw new Error(`There is no LINSTOR ${cluster.setting.name}.`);
  const spec = { nodeSelector: { [selected]: "yes" } };
  await admin.create(LinstorCluster, manifest(LinstorCluster, { name: "linstorcluster" }, { spec }));
  await admin.patch(Node, undefined, kubeletNode, "merge", { metadata: { labels: { [selected]: "yes" } } });
  const satelliteOf = () => admin.get<LinstorSatelliteObject>(LinstorSatellite, undefined, kubeletNode);
  const until = async (what: string, check: () => Promise<boolean | undefined>) => {
    for (let tick = 0; tick < 40; tick++) {
      if (await check()) return;
      await cluster.sweep();
      await cluster.rest();
    }
    throw new Error(`It has not come about: ${what}. ${JSON.stringify(await satelliteOf())}`);
  };
  type PodObject = KubernetesObject & { status?: { podIP?: string } };
  const addresses = async () => {
    const pods = await Array.fromAsync(admin.list<PodObject>(Pod, { namespace, labelSelector: satelliteLabel }));
    return pods.flatMap(({ status }) => status?.podIP ?? []);
  };
  await until("the pod of the satellite runs", async () => (await addresses()).length > 0);
  for (const address of await addresses()) standIn.startSatellite(address);
  await until("LINSTOR is connected with the satellite", async () =>
    (await satelliteOf())?.status?.conditions?.some(({ type, status }) => type === "Configured" && status === "True"),
  );

  const daemonSet = `linstor-satellite.${kubeletNode}`;
  const both: readonly (readonly [Kind, string | undefined, string])[] = [
    [LinstorSatellite, undefined, kubeletNode],
    [DaemonSet, namespace, daemonSet],
  ];
  const uidOf = async ([kind, namespace, name]: (typeof both)[number]) => {
    const { metadata } = (await admin.get(kind, namespace, name)) ?? {};
    return metadata?.deletionTimestamp ? "being deleted" : metadata?.uid;
  };
  const uids = await Promise.all(both.map(uidOf));
  expect(uids).toEqual(both.map(() => expect.stringContaining("-")));
  const allStays = async () => {
    expect(await Promise.all(both.map(uidOf))).toEqual(uids);
    expect((await satelliteOf())?.metadata.finalizers).toContain(satelliteFinalizer);
    expect(standIn.nodes()).toEqual([kubeletNode]);
  };
  await allStays();
  return async () => {
    try {
      await allStays();
      // The satellite would be deleted, were Holdfast there.
      await admin.patch(Node, undefined, kubeletNode, "merge", { metadata: { labels: { [selected]: null } } });
      await cluster.rest();
      await allStays();
    } finally {
      await admin.patch(Node, undefined, kubeletNode, "merge", { metadata: { labels: { [selected]: null } } });
      // One that is gone is what the checks speak of.
      if (await satelliteOf())
        await admin.patch(LinstorSatellite, undefined, kubeletNode, "merge", { metadata: { finalizers: null } });
      await admin.delete(LinstorSatellite, undefined, kubeletNode);
      await admin.delete(LinstorCluster, undefined, "linstorcluster");
      await cluster.eventually(
        "the DaemonSet is gone",
        async () => !(await admin.get(DaemonSet, namespace, daemonSet)),
      );
    }
  };
}
