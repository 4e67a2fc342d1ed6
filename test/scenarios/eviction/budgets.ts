import { expect } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { NeutronL3Agent, NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import { approvalKey, conditions } from "../../../functions/eviction/lib/names.ts";
import { maintenanceLabel } from "../../../functions/eviction/lib/node-lock.ts";
import { l3 } from "../../../functions/eviction/lib/openstack/neutron.ts";
import type { DependentObject } from "../../../functions/eviction/lib/schema.ts";
import { Node, Pod } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { manifest } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import { conditionOf, createAgent, evict, isGone, namespace, node, other, says, serve, swept } from "./helpers.ts";
import { besideOf, standInOpenStack } from "./settings.ts";

const both = [node, other] as const;

async function saysOf(cluster: Cluster, name: string, type: keyof typeof conditions): Promise<string> {
  const found = await cluster.admin.get<DependentObject>(NovaComputeNode, namespace, name);
  const condition = found?.status?.conditions?.find((one) => one.type === conditions[type]);
  return condition ? `${condition.status} ${condition.message}` : "";
}

/** The second Node, which has no kubelet, stays Ready; and a pod that is to go there, goes. */
async function standInForKubelet({ admin, clock }: Cluster): Promise<void> {
  const time = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  const ready = { type: "Ready", status: "True", reason: "Test", message: "" };
  const conditions = [{ ...ready, lastHeartbeatTime: time, lastTransitionTime: time }];
  await admin.patch(Node, undefined, other, "merge", { status: { conditions } }, { subresource: "status" });
  const pod = await admin.get(Pod, namespace, `novacomputenode-${other}`);
  if (pod?.metadata.deletionTimestamp) await admin.delete(Pod, namespace, pod.metadata.name, { gracePeriodSeconds: 0 });
}

/** A second compute node that serves, on a Node without a kubelet. */
async function second(cluster: Cluster): Promise<void> {
  const { admin } = cluster;
  await admin.create(Node, manifest(Node, { name: other, labels: { [maintenanceLabel]: "False" } }));
  await standInForKubelet(cluster);
  const template = { spec: { containers: [{ name: "agent", image: "agent" }] } };
  await admin.create(NovaComputeNode, manifest(NovaComputeNode, { name: other, namespace }, { spec: { template } }));
  await swept(cluster, "the second serves", async () => (await saysOf(cluster, other, "enabled")).startsWith("True"));
}

/** A person has the servers of a host leave it. */
const clear = ({ admin }: Cluster, name: string) =>
  admin.patch(NovaComputeNode, namespace, name, "merge", {
    metadata: { annotations: { [approvalKey]: "true" } },
    spec: { state: "DisabledAndCleared" },
  });

async function withoutSecond({ admin }: Cluster): Promise<void> {
  await admin.delete(NovaComputeNode, namespace, other);
  if (await admin.get(NovaComputeNode, namespace, other))
    await admin.patch(NovaComputeNode, namespace, other, "merge", { metadata: { finalizers: null } });
  await admin.delete(Pod, namespace, `novacomputenode-${other}`, { gracePeriodSeconds: 0 });
  await admin.delete(Node, undefined, other);
}

/** Evictions of several nodes at a time. */
export const budgets: readonly Scenario[] = [
  {
    title: "of two nodes under a budget of one, one is cleared, and the other when the first is only disabled again",
    async run(cluster) {
      const { admin } = cluster;
      await second(cluster);
      try {
        const state = async (name: string, wanted: string) =>
          admin.patch(NovaComputeNode, namespace, name, "merge", { spec: { state: wanted } });
        for (const name of both) await state(name, "Disabled");
        for (const name of both)
          await swept(cluster, `${name} is disabled`, async () => {
            await standInForKubelet(cluster);
            return (await saysOf(cluster, name, "enabled")).startsWith("False");
          });
        await state(other, "DisabledAndCleared");
        const metadata = { annotations: { [approvalKey]: "true" } };
        await admin.patch(NovaComputeNode, namespace, other, "merge", { metadata });
        await swept(cluster, "it is cleared", async () => {
          await standInForKubelet(cluster);
          return (await saysOf(cluster, other, "evicted")).startsWith("Evicted");
        });
        await state(node, "DisabledAndCleared");
        await admin.patch(NovaComputeNode, namespace, node, "merge", { metadata });
        await swept(cluster, "the other waits", async () => {
          await standInForKubelet(cluster);
          return (await saysOf(cluster, node, "converged")).includes(`Out now: ${other}.`);
        });
        await state(other, "Disabled");
        await swept(cluster, "the other is cleared, too", async () => {
          await standInForKubelet(cluster);
          return (await saysOf(cluster, node, "evicted")).startsWith("Evicted");
        });
      } finally {
        await withoutSecond(cluster);
      }
    },
  },
  {
    title: "of two nodes that are to leave at once under a budget of one, the second begins when the first is gone",
    async run(cluster) {
      const { cloud, wire } = besideOf(cluster);
      await second(cluster);
      const attended = <T>(check: () => Promise<T>) => standInForKubelet(cluster).then(check);
      try {
        await cloud.boot(node);
        await cloud.boot(other);
        const disabled: string[] = [];
        wire.step = async (request, send) => {
          const response = await send();
          if (request.method === "PUT" && request.body?.includes('"disabled"')) disabled.push(request.path);
          return response;
        };
        // Both have looked before either writes what it was granted.
        cluster.intercept(async ({ request }, send) => {
          if (request.method !== "GET" && request.path.includes("/leases")) await cluster.clock.sleep(400);
          return send();
        }, "everywhere");
        for (const name of both) {
          const metadata = { annotations: { [approvalKey]: "true" } };
          await cluster.admin.patch(NovaComputeNode, namespace, name, "merge", { metadata });
        }
        await Promise.all(both.map((name) => cluster.admin.delete(NovaComputeNode, namespace, name)));
        const waits = await swept(cluster, "one waits", () =>
          attended(async () => {
            for (const name of both)
              if (/at most 1 may be out at the same time\. Out now: /.test(await saysOf(cluster, name, "converged")))
                return name;
            return undefined;
          }),
        );
        const isEnabled = async (name: string) => (await cloud.nova().service(name))?.isEnabled;
        expect([disabled.length, await isEnabled(waits)]).toEqual([1, true]);
        const first = both.find((name) => name !== waits) ?? "";
        await swept(cluster, "the first is gone", () =>
          attended(async () => {
            const isThere = (await cluster.admin.get(NovaComputeNode, namespace, first)) !== undefined;
            expect(!isThere || disabled.length === 1).toBe(true);
            return !isThere;
          }),
        );
        await swept(cluster, "the second begins", () => attended(async () => (await isEnabled(waits)) === false));
        expect(disabled).toHaveLength(2);
      } finally {
        wire.step = (_, send) => send();
        await withoutSecond(cluster);
      }
    },
  },
  {
    title: "a host of which Nova says nothing waits and says so, and keeps no other host from being cleared",
    async run(cluster) {
      const beside = besideOf(cluster);
      const attended = <T>(check: () => Promise<T>) => standInForKubelet(cluster).then(check);
      const isEvicted = (name: string) => attended(async () => /^Evicted/.test(await saysOf(cluster, name, "evicted")));
      await second(cluster);
      try {
        beside.tamper = (_, { path }) => (path.includes(node) ? { status: 503 } : undefined);
        for (const name of both) await clear(cluster, name);
        await swept(cluster, "the other is cleared", () => isEvicted(other));
        await attended(() => says(cluster, "The eviction waits for OpenStack, which has been away since"));
        delete beside.tamper;
        await cluster.admin.patch(NovaComputeNode, namespace, other, "merge", { spec: { state: "Disabled" } });
        await swept(cluster, "it is cleared, too", () => isEvicted(node));
      } finally {
        delete beside.tamper;
        await withoutSecond(cluster);
      }
    },
    settings: [standInOpenStack],
  },
  {
    title:
      "evictions that wait at their first step while OpenStack comes and goes say so in few writes, and then go on",
    async run(cluster) {
      const { admin } = cluster;
      const { cloud, wire } = besideOf(cluster);
      const random = seededRandom(3);
      const attended = <T>(check: () => Promise<T>) => standInForKubelet(cluster).then(check);
      const isEvicted = (name: string) => attended(async () => /^Evicted/.test(await saysOf(cluster, name, "evicted")));
      await second(cluster);
      try {
        await createAgent(cluster, NeutronL3Agent);
        await serve(cluster, l3);
        await cloud.under.agents?.(other, "l3", false);
        await clear(cluster, other);
        await swept(cluster, "the second host is cleared", () => isEvicted(other));
        await clear(cluster, node);
        await evict(cluster, NeutronL3Agent);
        const waiting = [
          [NovaComputeNode, `Out now: ${other}.`],
          [NeutronL3Agent, "No other L3 agent that is alive and enabled"],
        ] as const;
        for (const [kind, why] of waiting) await attended(() => says(cluster, why, kind));
        const writes = { NovaComputeNode: 0, NeutronL3Agent: 0 };
        cluster.intercept(async ({ request: { method, path } }, send) => {
          for (const [kind] of waiting)
            if (method === "PATCH" && path.includes(`/${kind.plural}/${node}`))
              writes[kind.kind as "NovaComputeNode"]++;
          return send();
        }, "everywhere");
        wire.step = async (_, send) => {
          if (random.below(10) === 0) throw new Error("socket hang up");
          return send();
        };
        const said = new Set<string>();
        for (let minute = 0; minute < 20; minute++) {
          await cloud.pass(60);
          await attended(() => cluster.sweep());
          await cluster.rest();
          for (const [kind] of waiting)
            if (/waits for OpenStack, which has been away since 20/.test(await conditionOf(cluster, "converged", kind)))
              said.add(kind.kind);
        }
        expect([...said].toSorted()).toEqual(["NeutronL3Agent", "NovaComputeNode"]);
        for (const [kind, count] of Object.entries(writes)) {
          expect(count, kind).toBeGreaterThan(0);
          expect(count, kind).toBeLessThan(100);
        }
        wire.step = (_, send) => send();
        await admin.patch(NovaComputeNode, namespace, other, "merge", { spec: { state: "Disabled" } });
        await cloud.under.agents?.(other, "l3", true);
        const back = cluster.clock.now();
        await swept(cluster, "the first host is cleared, too", () => isEvicted(node));
        await isGone(cluster, NeutronL3Agent);
        expect(cluster.clock.now() - back).toBeLessThan(300_000);
      } finally {
        wire.step = (_, send) => send();
        await withoutSecond(cluster);
      }
    },
    settings: [standInOpenStack],
  },
];
