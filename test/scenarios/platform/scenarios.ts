import { expect } from "vitest";
import { InMemoryChannel, Subscription } from "../../../functions/platform/sweep/channels.ts";
import { policyKey } from "../../../functions/pvc-retention/lib/policy.ts";
import { namespaceLabel, noting } from "../../../functions/undelete/lib/note.ts";
import { keepKey } from "../../../functions/undelete/lib/scope.ts";
import { CustomResourceDefinition } from "../../../local/controllers/objects/kinds.ts";
import { isNotFound } from "../../../shared/kubernetes/api-error.ts";
import {
  ConfigMap,
  Event,
  type Kind,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  StorageClass,
} from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { progressKey } from "../../../shared/progress.ts";
import type { Volume } from "../../../shared/storage/volume.ts";
import { recordedChannel } from "../../contract/knative/recorded.ts";
import { apiFailure } from "../../harness/api-failure.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { definitionsDeleted } from "../../harness/definitions-deleted.ts";
import { manifest, persistentVolume, statefulSet } from "../../harness/manifest.ts";
import { deleteClaim, removePod, usedClaim } from "../pvc-protection/helpers.ts";
import { beside } from "../pvc-protection/settings.ts";
import { noticesOn } from "../recorded-events.ts";
import type { Scenario } from "../scenario.ts";
import { settled } from "../settled.ts";
import { mending } from "./settings.ts";

const installedIn = "holdfast";
const table = "holdfast-sweep";

/**
 * From now on the API server refuses a rule's reads, in other words each time, which is final: its events are
 * dead-lettered.
 */
function refuse(cluster: Cluster, rule: string): void {
  let times = 0;
  cluster.intercept(async (call, send) => {
    if (call.rule !== rule || call.request.method !== "GET") return send();
    return apiFailure(403, `Refused${++times}`);
  });
}

const deadLetters = async (cluster: Cluster, kind: string, name: string) =>
  (await noticesOn(cluster, kind, name)).filter(({ reason }) => reason === "EventDeadLettered");

async function setTable({ admin }: Cluster, text: string): Promise<void> {
  await admin.patch(ConfigMap, installedIn, table, "merge", { data: { "table.yaml": text } });
}

/** The Events on the sweep's table. */
async function tableEvents({ admin }: Cluster) {
  const kind = { apiVersion: "events.k8s.io/v1", kind: "Event", plural: "events", namespaced: true };
  const events = await Array.fromAsync(
    admin.list<KubernetesObject & { reason: string; note: string; regarding: { name: string } }>(kind, {
      namespace: installedIn,
    }),
  );
  return events.filter(({ regarding }) => regarding?.name === table);
}

const tableWarnings = async (cluster: Cluster) => (await tableEvents(cluster)).map(({ reason }) => reason);

const definition = ({ apiVersion, kind, plural }: Kind): KubernetesObject => {
  const [group, version] = apiVersion.split("/");
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } };
  const names = { kind, plural, singular: kind.toLowerCase() };
  const versions = [{ name: version, served: true, storage: true, schema }];
  return manifest(
    CustomResourceDefinition,
    { name: `${plural}.${group}` },
    { spec: { group, scope: "Namespaced", names, versions } },
  );
};

const channelName = "storage-kne-trigger";

/** The Subscription of a Trigger of the broker `storage`, as Knative leaves it when all is well. */
const readySubscription = (name: string) =>
  manifest(
    Subscription,
    { namespace: installedIn, name },
    {
      spec: { channel: { apiVersion: InMemoryChannel.apiVersion, kind: InMemoryChannel.kind, name: channelName } },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    },
  );

interface ServedChannel {
  readonly name: string;
  /** What Knative does when the channel is deleted: creates it again, for the Subscriptions that there are. */
  rebuild(): Promise<void>;
  leave(): Promise<void>;
}

/**
 * Has the kinds of Knative's channels served, and in Holdfast's namespace the channel that was recorded; its
 * Subscriptions have uids of their own.
 */
async function staleChannel({ admin, eventually }: Cluster): Promise<ServedChannel> {
  const definitions = [InMemoryChannel, Subscription].map((kind) => definition(kind));
  for (const object of definitions) await admin.create(CustomResourceDefinition, object);
  const { channel, subscriptions } = recordedChannel();
  const { subscribers } = channel.spec as { subscribers: { uid: string; name: string }[] };
  const kept = subscribers.filter(({ uid }) => subscriptions.includes(uid));
  const uids = new Map<string, string>();
  await eventually("the kinds are served", async () => {
    for (const { uid, name } of kept) {
      if (uids.has(uid)) continue;
      try {
        const created = await admin.create(Subscription, readySubscription(name));
        uids.set(uid, created.metadata.uid);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        return false;
      }
    }
    return true;
  });
  const { name, labels = {} } = channel.metadata;
  const spec = { subscribers: subscribers.map((one) => ({ ...one, uid: uids.get(one.uid) ?? one.uid })) };
  const create = (spec: object) =>
    admin.create(InMemoryChannel, manifest(InMemoryChannel, { namespace: installedIn, name, labels }, { spec }));
  await eventually("the channel is there", async () => {
    try {
      return await create(spec);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
  });
  return {
    name,
    rebuild: async () => {
      const present = await Array.fromAsync(admin.list(Subscription, { namespace: installedIn }));
      await create({ subscribers: present.map(({ metadata: { uid, name } }) => ({ uid, name })) });
    },
    leave: async () => {
      const names = definitions.map(({ metadata }) => metadata.name);
      for (const each of names) await admin.delete(CustomResourceDefinition, undefined, each);
      await definitionsDeleted({ admin, eventually }, names);
    },
  };
}

type EventAbout = KubernetesObject & { reason: string; regarding: { uid: string } };

/**
 * Objects of no namespace of which the default install's Triggers hand on events, and what has a rule read about them
 * in the scenario's namespace.
 */
const clusterScoped: readonly {
  title: string;
  kind: Kind;
  rule: string;
  nameIn(namespace: string): string;
  annotate(object: KubernetesObject): Record<string, string>;
}[] = [
  {
    title: "namespace",
    kind: Namespace,
    rule: "pvc-retention/sync-policy",
    nameIn: (namespace) => namespace,
    annotate: () => ({ [policyKey]: "Retain" }),
  },
  {
    title: "class",
    kind: StorageClass,
    rule: "undelete/retain",
    nameIn: (namespace) => `${namespace}-refused`,
    annotate: () => ({ [keepKey]: "1d" }),
  },
  {
    title: "volume",
    kind: PersistentVolume,
    rule: "undelete/reserve",
    nameIn: (namespace) => `${namespace}-refused`,
    annotate: ({ metadata: { uid }, spec }) => ({
      [progressKey(noting.progressName)]: JSON.stringify({
        v: 1,
        uid,
        step: "retained",
        since: "2026-03-01T12:00:00Z",
        because: "It was noted by hand.",
        policy: "Retain",
        for: "1d",
        claim: { namespace: (spec as Volume["spec"]).claimRef?.namespace, name: "data", uid: "c1" },
        right: 0,
      }),
    }),
  },
];

/** Creates a class with a volume that is reserved for a claim of the scenario's namespace. */
async function reservedVolume({ admin, namespace }: Cluster): Promise<() => Promise<void>> {
  const name = `${namespace}-refused`;
  await admin.create(StorageClass, manifest(StorageClass, { name }, { provisioner: "example.com/by-hand" }));
  const claimRef = { namespace, name: "data" };
  const spec = { claimRef, hostPath: { path: "/tmp/by-hand" }, storageClassName: name };
  await admin.create(PersistentVolume, persistentVolume({ name, labels: { [namespaceLabel]: namespace } }, spec));
  return async () => {
    await admin.delete(PersistentVolume, undefined, name);
    await admin.delete(StorageClass, undefined, name);
  };
}

/** What becomes of events that no function takes, of a table that is wrong, and of a channel that is stale. */
const inEverySetting: readonly Scenario[] = [
  {
    title: "an event that a function finally refuses is shown on its claim, once, with what it said last",
    within: true,
    alone: true,
    async run(cluster) {
      const { admin, namespace } = cluster;
      await usedClaim(cluster);
      refuse(cluster, "pvc-protection/release");
      await deleteClaim(cluster, "data");
      const [first] = await cluster.eventually("the claim shows a dead-lettered event", async () => {
        const events = await deadLetters(cluster, "PersistentVolumeClaim", "data");
        return events.length > 0 && events;
      });
      expect(first).toMatchObject({ type: "Warning" });
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step: "1" } } });
      await cluster.eventually("it shows the next one in its place", async () => {
        const events = await deadLetters(cluster, "PersistentVolumeClaim", "data");
        return events.length === 1 && events[0]?.note !== first?.note;
      });
    },
  },
  {
    title: "an event of a set that a function finally refuses is shown on the set",
    within: true,
    alone: true,
    async run(cluster) {
      refuse(cluster, "pvc-retention/sync-policy");
      const annotations = { [policyKey]: "Retain" };
      await cluster.admin.create(StatefulSet, statefulSet({ name: "web", namespace: cluster.namespace, annotations }));
      await cluster.eventually("the set shows a dead-lettered event", async () => {
        const [event] = await deadLetters(cluster, "StatefulSet", "web");
        return event?.type === "Warning";
      });
    },
  },
  ...clusterScoped.map(
    ({ title, kind, rule, nameIn, annotate }): Scenario => ({
      title: `an event of a ${title} that a function finally refuses is shown on the ${title}`,
      within: true,
      alone: true,
      async run(cluster) {
        const { admin } = cluster;
        const name = nameIn(cluster.namespace);
        const remove = await reservedVolume(cluster);
        try {
          refuse(cluster, rule);
          const object = await admin.get(kind, undefined, name);
          if (!object) throw new Error(`There is no ${kind.kind} ${name}.`);
          await admin.patch(kind, undefined, name, "merge", { metadata: { annotations: annotate(object) } });
          await cluster.eventually(`the ${title} shows a dead-lettered event`, async () => {
            const events = await Array.fromAsync(admin.list<EventAbout>(Event, { namespace: "default" }));
            return events.some(
              ({ reason, regarding }) => reason === "EventDeadLettered" && regarding.uid === object.metadata.uid,
            );
          });
        } finally {
          await remove();
        }
      },
    }),
  ),
  {
    title: "an event about a pod that is gone is kept all the same",
    within: true,
    alone: true,
    async run(cluster) {
      const { admin, namespace } = cluster;
      await usedClaim(cluster);
      refuse(cluster, "pvc-protection/release");
      await removePod(cluster, "web");
      await cluster.eventually("the event is kept", async () => {
        const ring = await admin.get<KubernetesObject & { data?: Record<string, string> }>(
          ConfigMap,
          installedIn,
          "holdfast-dead-letters",
        );
        const kept = Object.values(ring?.data ?? {}).map((text) => JSON.parse(text).attributes);
        return kept.some(({ kind, name, namespace: of }) => kind === Pod.kind && name === "web" && of === namespace);
      });
    },
  },
  {
    title: "a wrong table is recorded on its ConfigMap, again when it is wrong otherwise, and cleared when it is right",
    within: true,
    alone: true,
    async run(cluster) {
      const map = await cluster.admin.get<KubernetesObject & { data: Record<string, string> }>(
        ConfigMap,
        installedIn,
        table,
      );
      const right = map?.data["table.yaml"] ?? "";
      try {
        for (const wrong of ["- rule: broken\n", "- rule: broken\n- rule: broken, too\n"]) {
          await setTable(cluster, wrong);
          await cluster.sweep();
          expect(await tableWarnings(cluster)).toEqual(["TableRefused"]);
        }
      } finally {
        await setTable(cluster, right);
      }
      await cluster.sweep();
      expect(await tableWarnings(cluster)).toEqual([]);
    },
  },
];

type RetentionSet = KubernetesObject & {
  spec: { persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string } };
};

const set = "web";
const retentionOf = async ({ admin, namespace }: Cluster) =>
  (await admin.get<RetentionSet>(StatefulSet, namespace, set))?.spec.persistentVolumeClaimRetentionPolicy;

/** A set whose claims are deleted with it. */
async function scalableSet(cluster: Cluster): Promise<string> {
  const { admin, namespace } = cluster;
  await admin.create(
    StatefulSet,
    statefulSet(
      { name: set, namespace },
      { replicas: 0, persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" } },
    ),
  );
  // The event of its creation has been handled before it is changed.
  await settled(cluster);
  return set;
}

/** Annotates the set so that its claims are kept; the event of it reaches no function. */
async function annotate(cluster: Cluster, name: string): Promise<void> {
  const { admin, namespace } = cluster;
  cluster.fate(() => []);
  await admin.patch(StatefulSet, namespace, name, "merge", { metadata: { annotations: { [policyKey]: "Retain" } } });
  await cluster.rest();
  expect((await retentionOf(cluster))?.whenDeleted).toBe("Delete");
}

/** The next tick of the sweep has functions look at every object. */
async function keepsAfterNextTick(cluster: Cluster): Promise<void> {
  await cluster.sweep();
  await cluster.eventually(
    "the set keeps its claims",
    async () => (await retentionOf(cluster))?.whenDeleted === "Retain",
  );
}

/** `remove` deletes the channel where the sweep has not done so; the set is annotated before Knative rebuilds it. */
async function annotatedWhileRebuilt(
  cluster: Cluster,
  remove: (channel: ServedChannel) => Promise<unknown>,
): Promise<void> {
  const channel = await staleChannel(cluster);
  try {
    const name = await scalableSet(cluster);
    await cluster.sweep();
    // So have those of the sweep.
    await settled(cluster);
    await remove(channel);
    await annotate(cluster, name);
    await channel.rebuild();
    await keepsAfterNextTick(cluster);
    await cluster.rest();
    await cluster.sweep();
    expect(await tableEvents(cluster)).toEqual([]);
  } finally {
    await channel.leave();
  }
}

/** What the sweep makes of a channel with subscribers that are gone. */
const channels: readonly Scenario[] = [
  {
    title: "a channel that delivers for a Trigger that is gone is reported with what to do, until it has been rebuilt",
    settings: [beside],
    within: true,
    alone: true,
    async run(cluster) {
      const { name, leave } = await staleChannel(cluster);
      try {
        await cluster.sweep();
        const [warning, ...others] = await tableEvents(cluster);
        expect(others).toEqual([]);
        expect(warning?.reason).toBe("StaleSubscribers");
        expect(warning?.note).toContain(`kubectl -n ${installedIn} delete inmemorychannel ${name}`);
        expect(warning?.note).toContain("the Trigger pvc-retention-grace-storage");
        expect(await cluster.admin.get(InMemoryChannel, installedIn, name)).toBeDefined();
        await cluster.admin.delete(InMemoryChannel, installedIn, name);
        await cluster.sweep();
        expect(await tableEvents(cluster)).toEqual([]);
      } finally {
        await leave();
      }
    },
  },
  {
    title: "a set that is annotated while a stale channel is rebuilt keeps its claims, from the next tick on",
    settings: [beside],
    within: true,
    alone: true,
    run: async (cluster) =>
      annotatedWhileRebuilt(cluster, ({ name }) => cluster.admin.delete(InMemoryChannel, installedIn, name)),
  },
  {
    title:
      "a set that is annotated after the sweep has deleted a stale channel keeps its claims, from the next tick on",
    settings: [mending],
    within: true,
    alone: true,
    run: async (cluster) => annotatedWhileRebuilt(cluster, async () => undefined),
  },
  {
    title: "a Trigger that a channel has forgotten is reported, and everything is resynced once it is back",
    settings: [beside],
    within: true,
    alone: true,
    async run(cluster) {
      const { admin } = cluster;
      const channel = await staleChannel(cluster);
      try {
        await admin.delete(InMemoryChannel, installedIn, channel.name);
        await channel.rebuild();
        await cluster.sweep();
        expect(await tableEvents(cluster)).toEqual([]);
        const sound = await admin.get<KubernetesObject & { spec: { subscribers: { name: string }[] } }>(
          InMemoryChannel,
          installedIn,
          channel.name,
        );
        const [forgotten, ...rest] = sound?.spec.subscribers ?? [];
        await admin.patch(InMemoryChannel, installedIn, channel.name, "merge", { spec: { subscribers: rest } });
        await cluster.sweep();
        const [warning] = await tableEvents(cluster);
        expect(warning?.reason).toBe("StaleSubscribers");
        expect(warning?.note).toContain(`delivers no event for the Trigger ${forgotten?.name}`);
        await annotate(cluster, await scalableSet(cluster));
        await admin.patch(InMemoryChannel, installedIn, channel.name, "merge", { spec: sound?.spec ?? {} });
        await keepsAfterNextTick(cluster);
        expect(await tableEvents(cluster)).toEqual([]);
      } finally {
        await channel.leave();
      }
    },
  },
  {
    title: "of many stale channels with many Triggers the Warning has the command for each",
    settings: [beside],
    within: true,
    alone: true,
    async run(cluster) {
      const { admin } = cluster;
      const { name, leave } = await staleChannel(cluster);
      const second = "workloads-kne-trigger";
      try {
        const labels = { "eventing.knative.dev/broker": "workloads" };
        const subscribers = Array.from({ length: 48 }, (_, i) => ({
          uid: `gone-${i}`,
          name: `workloads-trigger-${i}`,
        }));
        await admin.create(
          InMemoryChannel,
          manifest(InMemoryChannel, { namespace: installedIn, name: second, labels }, { spec: { subscribers } }),
        );
        await cluster.sweep();
        const [warning] = await tableEvents(cluster);
        expect(warning?.note).toContain(`\`kubectl -n ${installedIn} delete inmemorychannel ${name} ${second}\``);
        expect(warning?.note).toContain("do not delete or scale down what you have just annotated");
        for (const one of [name, second]) await admin.delete(InMemoryChannel, installedIn, one);
        await cluster.sweep();
        expect(await tableEvents(cluster)).toEqual([]);
      } finally {
        await leave();
      }
    },
  },
  {
    title:
      "a channel that delivers for a Trigger that is gone is deleted where the administrator lets the sweep, " +
      "and no other one",
    settings: [mending],
    within: true,
    alone: true,
    async run(cluster) {
      const { admin } = cluster;
      const { name, leave } = await staleChannel(cluster);
      try {
        const [subscription] = await Array.fromAsync(admin.list(Subscription, { namespace: installedIn }));
        const spec = { subscribers: [{ uid: subscription?.metadata.uid }] };
        await admin.create(
          InMemoryChannel,
          manifest(InMemoryChannel, { namespace: installedIn, name: "sound" }, { spec }),
        );
        await cluster.sweep();
        const left = await Array.fromAsync(admin.list(InMemoryChannel, { namespace: installedIn }));
        expect(left.map(({ metadata }) => metadata.name)).toEqual(["sound"]);
        expect((await tableEvents(cluster)).map(({ note }) => note)).toEqual([
          `The channel ${name} was deleted, so that Knative rebuilds it, because it delivered to subscribers that ` +
            "are gone (pvc-retention-grace-storage). The next tick of the sweep, within five minutes, sends an event " +
            "for every object. Until then, do not delete or scale down what you have just annotated.",
        ]);
        await cluster.sweep();
        expect(await tableEvents(cluster)).toEqual([]);
      } finally {
        await leave();
      }
    },
  },
];

export const scenarios: readonly Scenario[] = [
  ...inEverySetting.map((scenario) => ({ ...scenario, settings: [beside] })),
  ...channels,
];
