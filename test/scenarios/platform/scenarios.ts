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
import { answer } from "../../worlds/answer.ts";
import { definitionsGo } from "../../worlds/definitions-go.ts";
import { manifest, statefulSet } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
import { deleteClaim, protectedClaim, removePod, runningPod } from "../pvc-protection/helpers.ts";
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
function refuse(world: World, rule: string): void {
  let times = 0;
  world.intercept(async (call, send) => {
    if (call.rule !== rule || call.request.method !== "GET") return send();
    return answer(403, `Refused${++times}`);
  });
}

const deadLetters = async (world: World, kind: string, name: string) =>
  (await noticesOn(world, kind, name)).filter(({ reason }) => reason === "EventDeadLettered");

async function setTable({ admin }: World, text: string): Promise<void> {
  await admin.patch(ConfigMap, installedIn, table, "merge", { data: { "table.yaml": text } });
}

/** The Events on the sweep's table. */
async function tableEvents({ admin }: World) {
  const kind = { apiVersion: "events.k8s.io/v1", kind: "Event", plural: "events", namespaced: true };
  const events = await Array.fromAsync(
    admin.list<KubernetesObject & { reason: string; note: string; regarding: { name: string } }>(kind, {
      namespace: installedIn,
    }),
  );
  return events.filter(({ regarding }) => regarding?.name === table);
}

const tableWarnings = async (world: World) => (await tableEvents(world)).map(({ reason }) => reason);

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
async function staleChannel({ admin, eventually }: World): Promise<ServedChannel> {
  const definitions = [InMemoryChannel, Subscription].map(definition);
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
      await definitionsGo({ admin, eventually }, names);
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
async function reservedVolume({ admin, namespace }: World): Promise<() => Promise<void>> {
  const name = `${namespace}-refused`;
  await admin.create(StorageClass, manifest(StorageClass, { name }, { provisioner: "example.com/by-hand" }));
  const spec = {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    claimRef: { namespace, name: "data" },
    hostPath: { path: "/tmp/by-hand" },
    storageClassName: name,
  };
  await admin.create(
    PersistentVolume,
    manifest(PersistentVolume, { name, labels: { [namespaceLabel]: namespace } }, { spec }),
  );
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
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      refuse(world, "pvc-protection/release");
      await deleteClaim(world, "data");
      const [first] = await world.eventually("the claim shows a dead-lettered event", async () => {
        const events = await deadLetters(world, "PersistentVolumeClaim", "data");
        return events.length > 0 && events;
      });
      expect(first).toMatchObject({ type: "Warning" });
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step: "1" } } });
      await world.eventually("it shows the next one in its place", async () => {
        const events = await deadLetters(world, "PersistentVolumeClaim", "data");
        return events.length === 1 && events[0]?.note !== first?.note;
      });
    },
  },
  {
    title: "an event of a set that a function finally refuses is shown on the set",
    within: true,
    alone: true,
    async run(world) {
      refuse(world, "pvc-retention/sync-policy");
      const annotations = { [policyKey]: "Retain" };
      await world.admin.create(StatefulSet, statefulSet({ name: "web", namespace: world.namespace, annotations }));
      await world.eventually("the set shows a dead-lettered event", async () => {
        const [event] = await deadLetters(world, "StatefulSet", "web");
        return event?.type === "Warning";
      });
    },
  },
  ...clusterScoped.map(
    ({ title, kind, rule, nameIn, annotate }): Scenario => ({
      title: `an event of a ${title} that a function finally refuses is shown on the ${title}`,
      within: true,
      alone: true,
      async run(world) {
        const { admin } = world;
        const name = nameIn(world.namespace);
        const remove = await reservedVolume(world);
        try {
          refuse(world, rule);
          const object = await admin.get(kind, undefined, name);
          if (!object) throw new Error(`There is no ${kind.kind} ${name}.`);
          await admin.patch(kind, undefined, name, "merge", { metadata: { annotations: annotate(object) } });
          await world.eventually(`the ${title} shows a dead-lettered event`, async () => {
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
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      refuse(world, "pvc-protection/release");
      await removePod(world, "web");
      await world.eventually("the event is kept", async () => {
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
    title: "a wrong table is recorded on its ConfigMap, anew when it is wrong otherwise, and cleared when it is right",
    within: true,
    alone: true,
    async run(world) {
      const map = await world.admin.get<KubernetesObject & { data: Record<string, string> }>(
        ConfigMap,
        installedIn,
        table,
      );
      const right = map?.data["table.yaml"] ?? "";
      try {
        for (const wrong of ["- rule: broken\n", "- rule: broken\n- rule: broken, too\n"]) {
          await setTable(world, wrong);
          await world.sweep();
          expect(await tableWarnings(world)).toEqual(["TableRefused"]);
        }
      } finally {
        await setTable(world, right);
      }
      await world.sweep();
      expect(await tableWarnings(world)).toEqual([]);
    },
  },
];

type RetentionSet = KubernetesObject & {
  spec: { persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string } };
};

const set = "web";
const retentionOf = async ({ admin, namespace }: World) =>
  (await admin.get<RetentionSet>(StatefulSet, namespace, set))?.spec.persistentVolumeClaimRetentionPolicy;

/** A set whose claims are deleted with it. */
async function scalableSet(world: World): Promise<string> {
  const { admin, namespace } = world;
  await admin.create(
    StatefulSet,
    statefulSet(
      { name: set, namespace },
      { replicas: 0, persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" } },
    ),
  );
  // The event of its creation has been handled before it is changed.
  await settled(world);
  return set;
}

/** Annotates the set so that its claims are kept; the event of it reaches no function. */
async function annotate(world: World, name: string): Promise<void> {
  const { admin, namespace } = world;
  world.fate(() => []);
  await admin.patch(StatefulSet, namespace, name, "merge", { metadata: { annotations: { [policyKey]: "Retain" } } });
  await world.rest();
  expect((await retentionOf(world))?.whenDeleted).toBe("Delete");
}

/** The next tick of the sweep has functions look at every object. */
async function keepsAfterNextTick(world: World): Promise<void> {
  await world.sweep();
  await world.eventually("the set keeps its claims", async () => (await retentionOf(world))?.whenDeleted === "Retain");
}

/** `remove` deletes the channel where the sweep has not done so; the set is annotated before Knative rebuilds it. */
async function annotatedWhileRebuilt(
  world: World,
  remove: (channel: ServedChannel) => Promise<unknown>,
): Promise<void> {
  const channel = await staleChannel(world);
  try {
    const name = await scalableSet(world);
    await world.sweep();
    // So have those of the sweep.
    await settled(world);
    await remove(channel);
    await annotate(world, name);
    await channel.rebuild();
    await keepsAfterNextTick(world);
    await world.rest();
    await world.sweep();
    expect(await tableEvents(world)).toEqual([]);
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
    async run(world) {
      const { name, leave } = await staleChannel(world);
      try {
        await world.sweep();
        const [warning, ...others] = await tableEvents(world);
        expect(others).toEqual([]);
        expect(warning?.reason).toBe("StaleSubscribers");
        expect(warning?.note).toContain(`kubectl -n ${installedIn} delete inmemorychannel ${name}`);
        expect(warning?.note).toContain("the Trigger pvc-retention-grace-storage");
        expect(await world.admin.get(InMemoryChannel, installedIn, name)).toBeDefined();
        await world.admin.delete(InMemoryChannel, installedIn, name);
        await world.sweep();
        expect(await tableEvents(world)).toEqual([]);
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
    run: async (world) =>
      annotatedWhileRebuilt(world, ({ name }) => world.admin.delete(InMemoryChannel, installedIn, name)),
  },
  {
    title:
      "a set that is annotated after the sweep has deleted a stale channel keeps its claims, from the next tick on",
    settings: [mending],
    within: true,
    alone: true,
    run: async (world) => annotatedWhileRebuilt(world, async () => undefined),
  },
  {
    title: "a Trigger that a channel has forgotten is reported, and everything is resynced once it is back",
    settings: [beside],
    within: true,
    alone: true,
    async run(world) {
      const { admin } = world;
      const channel = await staleChannel(world);
      try {
        await admin.delete(InMemoryChannel, installedIn, channel.name);
        await channel.rebuild();
        await world.sweep();
        expect(await tableEvents(world)).toEqual([]);
        const sound = await admin.get<KubernetesObject & { spec: { subscribers: { name: string }[] } }>(
          InMemoryChannel,
          installedIn,
          channel.name,
        );
        const [forgotten, ...rest] = sound?.spec.subscribers ?? [];
        await admin.patch(InMemoryChannel, installedIn, channel.name, "merge", { spec: { subscribers: rest } });
        await world.sweep();
        const [warning] = await tableEvents(world);
        expect(warning?.reason).toBe("StaleSubscribers");
        expect(warning?.note).toContain(`delivers no event for the Trigger ${forgotten?.name}`);
        await annotate(world, await scalableSet(world));
        await admin.patch(InMemoryChannel, installedIn, channel.name, "merge", { spec: sound?.spec ?? {} });
        await keepsAfterNextTick(world);
        expect(await tableEvents(world)).toEqual([]);
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
    async run(world) {
      const { admin } = world;
      const { name, leave } = await staleChannel(world);
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
        await world.sweep();
        const [warning] = await tableEvents(world);
        expect(warning?.note).toContain(`"kubectl -n ${installedIn} delete inmemorychannel ${name} ${second}"`);
        expect(warning?.note).toContain("do not delete or scale down what you have just annotated");
        for (const one of [name, second]) await admin.delete(InMemoryChannel, installedIn, one);
        await world.sweep();
        expect(await tableEvents(world)).toEqual([]);
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
    async run(world) {
      const { admin } = world;
      const { name, leave } = await staleChannel(world);
      try {
        const [subscription] = await Array.fromAsync(admin.list(Subscription, { namespace: installedIn }));
        const spec = { subscribers: [{ uid: subscription?.metadata.uid }] };
        await admin.create(
          InMemoryChannel,
          manifest(InMemoryChannel, { namespace: installedIn, name: "sound" }, { spec }),
        );
        await world.sweep();
        const left = await Array.fromAsync(admin.list(InMemoryChannel, { namespace: installedIn }));
        expect(left.map(({ metadata }) => metadata.name)).toEqual(["sound"]);
        expect((await tableEvents(world)).map(({ note }) => note)).toEqual([
          `The channel ${name} was deleted, so that Knative rebuilds it, because it delivered to subscribers that ` +
            "are gone (pvc-retention-grace-storage). The next tick of the sweep, within five minutes, sends an event " +
            "for every object. Until then, do not delete or scale down what you have just annotated.",
        ]);
        await world.sweep();
        expect(await tableEvents(world)).toEqual([]);
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
