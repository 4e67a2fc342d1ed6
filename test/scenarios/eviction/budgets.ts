import { expect } from "vitest";
import { NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import { approvalKey, conditions } from "../../../functions/eviction/lib/names.ts";
import { maintenanceLabel } from "../../../functions/eviction/lib/node-lock.ts";
import type { DependentObject } from "../../../functions/eviction/lib/schema.ts";
import { Node, Pod } from "../../../shared/kubernetes/kind.ts";
import { manifest } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import { namespace, node, other, swept } from "./helpers.ts";
import { besideOf, standInOpenStack } from "./settings.ts";

const both = [node, other] as const;

async function saysOf(world: World, name: string, type: keyof typeof conditions): Promise<string> {
  const found = await world.admin.get<DependentObject>(NovaComputeNode, namespace, name);
  const condition = found?.status?.conditions?.find((one) => one.type === conditions[type]);
  return condition ? `${condition.status} ${condition.message}` : "";
}

/** A second compute node that serves, on a Node without a kubelet. */
async function second(world: World): Promise<void> {
  const { admin } = world;
  await admin.create(Node, manifest(Node, { name: other, labels: { [maintenanceLabel]: "False" } }));
  const template = { spec: { containers: [{ name: "agent", image: "agent" }] } };
  await admin.create(NovaComputeNode, manifest(NovaComputeNode, { name: other, namespace }, { spec: { template } }));
  await swept(world, "the second serves", async () => (await saysOf(world, other, "enabled")).startsWith("True"));
}

async function withoutSecond({ admin }: World): Promise<void> {
  await admin.delete(NovaComputeNode, namespace, other);
  await admin.patch(NovaComputeNode, namespace, other, "merge", { metadata: { finalizers: null } });
  await admin.delete(Pod, namespace, `novacomputenode-${other}`, { gracePeriodSeconds: 0 });
  await admin.delete(Node, undefined, other);
}

/** Evictions of several nodes at a time. */
export const budgets: readonly Scenario[] = [
  {
    title: "of two nodes that are to leave at once under a budget of one, the second begins when the first is gone",
    async run(world) {
      const { cloud, standIn } = besideOf(world);
      await second(world);
      try {
        await cloud.boot(node);
        await cloud.boot(other);
        const disabled = () => [...(standIn?.cloud.hosts.values() ?? [])].filter(({ isEnabled }) => !isEnabled);
        let most = 0;
        // Both have looked before either writes what it was granted.
        world.intercept(async ({ request }, send) => {
          most = Math.max(most, disabled().length);
          if (request.method !== "GET" && request.path.includes("/leases")) await world.clock.sleep(400);
          return send();
        }, "everywhere");
        for (const name of both) {
          const metadata = { annotations: { [approvalKey]: "true" } };
          await world.admin.patch(NovaComputeNode, namespace, name, "merge", { metadata });
        }
        await Promise.all(both.map((name) => world.admin.delete(NovaComputeNode, namespace, name)));
        const waits = await swept(world, "one waits", async () => {
          for (const name of both)
            if (/at most 1 may be out at a time, and out are: /.test(await saysOf(world, name, "converged")))
              return name;
          return undefined;
        });
        expect(disabled().map(({ name }) => name)).toEqual(both.filter((name) => name !== waits));
        await swept(world, "the other is gone", async () =>
          (await Promise.all(both.map((name) => world.admin.get(NovaComputeNode, namespace, name)))).includes(
            undefined,
          ),
        );
        expect(most).toBe(1);
        await swept(world, "the second begins", async () => disabled().length === 2);
      } finally {
        await withoutSecond(world);
      }
    },
    settings: [standInOpenStack],
  },
];
