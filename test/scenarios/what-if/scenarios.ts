import { expect } from "vitest";
import { predict } from "../../../cli/what-if/command.ts";
import type { Prediction } from "../../../cli/what-if/prediction.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { Namespace } from "../../harness/kinds.ts";
import { claim, pod, statefulSet } from "../../harness/manifest.ts";
import { rulesOf } from "../installed-rules.ts";
import type { Scenario } from "../scenario.ts";
import {
  boundVolume,
  createClaim,
  deleteNamespace,
  isNoted,
  keepKey,
  keptClaim,
  reclaimAtKey,
} from "../undelete/helpers.ts";
import { shipped } from "../undelete/settings.ts";

type Fate = "Retain" | "Delete";

type StatefulSetStatus = KubernetesObject & { status?: { observedGeneration?: number; replicas?: number } };

/** Creates a set of three, whose claims have volumes; those of `keep` are kept for a day. */
async function runningSet(cluster: Cluster, whenDeleted: Fate, whenScaled: Fate, keep?: string): Promise<void> {
  const { admin, namespace, eventually } = cluster;
  const container = {
    name: "main",
    image: "registry.example/main:1",
    volumeMounts: [{ name: "data", mountPath: "/data" }],
  };
  const spec = {
    replicas: 3,
    podManagementPolicy: "Parallel",
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { terminationGracePeriodSeconds: 1, containers: [container] },
    },
    volumeClaimTemplates: [
      claim({ name: "data", annotations: keep ? { [keepKey]: keep } : {} }, { storageClassName: "standard" }),
    ],
  };
  await admin.create(StatefulSet, statefulSet({ namespace, name: "web" }, spec));
  for (const ordinal of [0, 1, 2]) {
    const volume = await boundVolume(cluster, `data-web-${ordinal}`);
    if (keep) await isNoted(cluster, volume, "retained");
  }
  await eventually("three pods run", async () => (await podsOf(cluster)).length === 3);
  // Kubernetes ties claims to what they go with a moment later.
  if (whenDeleted === "Delete")
    await eventually("claims are tied", async () =>
      (await claimsOf(cluster)).every(({ metadata }) => metadata.ownerReferences?.length),
    );
}

const podsOf = async ({ admin, namespace }: Cluster) => {
  const pods = await Array.fromAsync(
    admin.list<KubernetesObject & { status?: { phase?: string } }>(Pod, { namespace }),
  );
  return pods.filter(({ status }) => status?.phase === "Running");
};

const claimsOf = ({ admin, namespace }: Cluster) =>
  Array.fromAsync(admin.list<KubernetesObject>(PersistentVolumeClaim, { namespace }));

async function predicted(cluster: Cluster, kind: Kind, name: string, replicas?: number): Promise<Prediction> {
  const { admin, namespace, setting } = cluster;
  const live = await admin.get<KubernetesObject>(kind, kind.namespaced ? namespace : undefined, name);
  if (!live) throw new Error(`There is no ${kind.kind} ${name}.`);
  const prediction = await predict(admin, kind, live, rulesOf(setting), replicas);
  expect(prediction.gaps).toEqual([]);
  return prediction;
}

/** What went and what stayed is what was predicted: claims, and what became of the volumes behind them. */
async function comesTrue(
  cluster: Cluster,
  { claims }: Prediction,
  goes: readonly string[],
  fate: string,
): Promise<void> {
  const { admin, namespace, eventually } = cluster;
  const names = (wanted: boolean) =>
    claims.filter((one) => one.goes === wanted).map(({ claim }) => claim.replace(/^.*\//, ""));
  expect(names(true).sort()).toEqual([...goes].sort());
  await eventually(
    "what was to go has gone",
    async () => {
      const left = (await claimsOf(cluster)).map(({ metadata }) => metadata.name);
      return names(true).every((name) => !left.includes(name));
    },
    180_000,
  );
  await cluster.rest();
  const isThere = await admin.get(Namespace, undefined, namespace);
  const left = (await claimsOf(cluster)).filter(({ metadata }) => !metadata.deletionTimestamp);
  if (isThere) expect(left.map(({ metadata }) => metadata.name).sort()).toEqual(names(false).sort());
  for (const { volume } of claims.filter(({ goes }) => goes)) {
    expect(volume?.fate).toBe(fate);
    const name = volume?.volume ?? "";
    const find = () => admin.get<KubernetesObject>(PersistentVolume, undefined, name);
    if (fate === "deleted") await eventually(`volume ${name} is gone`, async () => !(await find()), 180_000);
    else {
      // One clock is the cluster's, the other that of the prediction: what both say is how long from now.
      const day = 24 * 3_600_000;
      const until = await eventually(
        `volume ${name} is kept`,
        async () => (await find())?.metadata.annotations?.[reclaimAtKey],
      );
      expect(Math.abs(Date.parse(volume?.until ?? "") - Date.now() - day)).toBeLessThan(600_000);
      expect(Math.abs(Date.parse(until as string) - cluster.clock.now() - day)).toBeLessThan(600_000);
    }
  }
}

const scale = ({ admin, namespace }: Cluster, replicas: number) =>
  admin.patch(StatefulSet, namespace, "web", "merge", { spec: { replicas } });

const deleteSet = ({ admin, namespace }: Cluster) =>
  admin.delete(StatefulSet, namespace, "web", { propagationPolicy: "Background" });

const scaling = (whenScaled: Fate, goes: readonly string[], fate: string, keep?: string): Scenario => ({
  title: `a scale-down under whenScaled ${whenScaled}${keep ? " with volumes to keep" : ""} takes what was predicted`,
  settings: [shipped],
  async run(cluster) {
    await runningSet(cluster, "Retain", whenScaled, keep);
    const prediction = await predicted(cluster, StatefulSet, "web", 1);
    await scale(cluster, 1);
    await comesTrue(cluster, prediction, goes, fate);
  },
});

/** What `holdfast what-if` says, and then what really happens. */
export const scenarios: readonly Scenario[] = [
  scaling("Delete", ["data-web-1", "data-web-2"], "deleted"),
  scaling("Delete", ["data-web-1", "data-web-2"], "kept", "24h"),
  scaling("Retain", [], "deleted"),
  {
    title:
      "the deletion of a set under whenDeleted Delete takes what was predicted, and leaves a claim that others own",
    settings: [shipped],
    async run(cluster) {
      const { admin, namespace } = cluster;
      await runningSet(cluster, "Delete", "Retain");
      const owner = await admin.create(Pod, pod({ namespace, name: "other" }));
      const reference = { apiVersion: "v1", kind: "Pod", name: "other", uid: owner.metadata.uid };
      const operations = [{ op: "add", path: "/metadata/ownerReferences/-", value: reference }];
      await admin.patch(PersistentVolumeClaim, namespace, "data-web-2", "json", operations);
      const prediction = await predicted(cluster, StatefulSet, "web");
      await deleteSet(cluster);
      await comesTrue(cluster, prediction, ["data-web-0", "data-web-1"], "deleted");
    },
  },
  {
    title: "the deletion of a set under whenDeleted Retain takes no claim, as was predicted",
    settings: [shipped],
    async run(cluster) {
      await runningSet(cluster, "Retain", "Delete");
      const prediction = await predicted(cluster, StatefulSet, "web");
      await deleteSet(cluster);
      await comesTrue(cluster, prediction, [], "deleted");
    },
  },
  {
    title:
      "the deletion of a set under whenDeleted Retain takes a claim that was scaled away under Delete, as predicted",
    settings: [shipped],
    async run(cluster) {
      const { admin, namespace, eventually } = cluster;
      await runningSet(cluster, "Delete", "Retain");
      const tied = async () => (await claimsOf(cluster)).filter(({ metadata }) => metadata.ownerReferences?.length);
      await eventually("all claims belong to the set", async () => (await tied()).length === 3);
      const patch = (spec: object) => admin.patch(StatefulSet, namespace, "web", "merge", { spec });
      await patch({ replicas: 2 });
      // Kubernetes frees the claim of a pod that it still counts, also of one that is just going.
      await eventually("the controller counts two pods", async () => {
        const set = await admin.get<StatefulSetStatus>(StatefulSet, namespace, "web");
        return set?.status?.observedGeneration === set?.metadata.generation && set?.status?.replicas === 2;
      });
      await patch({ persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } });
      await eventually("the claims of pods are free", async () => (await tied()).length === 1);
      const prediction = await predicted(cluster, StatefulSet, "web");
      await deleteSet(cluster);
      await comesTrue(cluster, prediction, ["data-web-2"], "deleted");
    },
  },
  {
    title: "the deletion of a claim waits for the pod that was named, and then takes the data that was named",
    settings: [shipped],
    async run(cluster) {
      const { admin, namespace } = cluster;
      await createClaim(cluster, { keep: "" });
      await boundVolume(cluster);
      const nodeName = (
        await Array.fromAsync(admin.list({ apiVersion: "v1", kind: "Node", plural: "nodes", namespaced: false }))
      )[0]?.metadata.name;
      await admin.create(Pod, pod({ namespace, name: "user" }, ["data"], { nodeName }));
      const prediction = await predicted(cluster, PersistentVolumeClaim, "data");
      expect(prediction.claims[0]?.waitsFor).toEqual(["Pod user uses it: it goes when that pod is gone."]);
      await admin.delete(PersistentVolumeClaim, namespace, "data");
      await cluster.rest();
      expect(await claimsOf(cluster)).toHaveLength(1);
      await admin.delete(Pod, namespace, "user", { gracePeriodSeconds: 0 });
      await comesTrue(cluster, prediction, ["data"], "deleted");
    },
  },
  {
    title: "the deletion of a namespace takes every claim, and keeps the volumes that were named for as long",
    settings: [shipped],
    async run(cluster) {
      const { namespace } = cluster;
      await keptClaim(cluster, { name: "one" });
      await keptClaim(cluster, { name: "two" });
      const prediction = await predicted(cluster, Namespace, namespace);
      expect(prediction.claims[0]?.volume?.because).toContain(`namespace ${namespace} is gone`);
      await deleteNamespace(cluster);
      await comesTrue(cluster, prediction, ["one", "two"], "kept");
    },
  },
];
