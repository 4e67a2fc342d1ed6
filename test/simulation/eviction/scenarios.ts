import { NeutronL2Agent, NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import { Namespace, Pod } from "../../../shared/kubernetes/kind.ts";
import { manifest } from "../../worlds/manifest.ts";
import type { Scenario } from "../scenario.ts";
import type { User } from "../user.ts";
import { host, type SimulatedOpenStack } from "./openstack.ts";
import { type ComputeLike, conditionOf, l2Pod } from "./resources.ts";
import { evictions } from "./settings.ts";

/** The cloud of a run. */
export const cloudOf = (user: User) => user.outside("eviction") as SimulatedOpenStack;
/** Where the agents of the host are. */
export const namespace = "yaook";
const template = { metadata: { labels: { app: "agent" } }, spec: { containers: [{ name: "agent", image: "agent" }] } };

async function until(user: User, check: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 6 && !(await check()); round++) await user.until(check);
}
/** The NovaComputeNode of the run. */
export const computeOf = async (user: User) =>
  (await user.list(NovaComputeNode, namespace))[0] as ComputeLike | undefined;
/** Whether nova-compute serves. */
export const isEnabled = (user: User) => async () => conditionOf(await computeOf(user), "Enabled")?.status === "True";
/** Whether the NovaComputeNode is gone. */
export const isGone = (user: User) => async () => (await computeOf(user)) === undefined;
const patch = (user: User, kind: typeof NovaComputeNode | typeof NeutronL2Agent, what: string, patch: object) =>
  user.attempt(`${what} ${kind.kind}`, (client) => client.patch(kind, namespace, host, "merge", patch));
const approval = { metadata: { annotations: { "holdfast.dev/approve-eviction": "true" } } };
/** Says what state a compute node is to have, and agrees to what follows. */
export const setState = (user: User, state: string) =>
  patch(user, NovaComputeNode, `has ${state}`, { ...approval, spec: { state } });

/** An L2 agent, a nova-compute that serves, and three servers on it, one of them off. */
export async function serving(user: User): Promise<void> {
  const object = (kind: typeof NovaComputeNode | typeof NeutronL2Agent, spec: object) =>
    user.attempt(`creates ${kind.kind}`, (client) =>
      client.create(kind, manifest(kind, { name: host, namespace }, { spec: { template, ...spec } })),
    );
  await user.attempt("creates the namespace", (client) =>
    client.create(Namespace, manifest(Namespace, { name: namespace })),
  );
  await object(NeutronL2Agent, {});
  await object(NovaComputeNode, { state: "Enabled" });
  await until(user, isEnabled(user));
  const servers = [false, false, true].map((isOff) => cloudOf(user).boot(isOff));
  await until(user, async () => servers.every(({ status, task }) => status !== "BUILD" && !task));
  await user.pause(5_000);
}

const usual = { setting: evictions, waits: true };

/** What happens to hosts of OpenStack. */
export const scenarios: readonly Scenario[] = [
  {
    ...usual,
    name: "compute-node-deleted",
    // Three servers move one after another, and the empty host is looked at twice.
    sweepsAfterOutage: 6,
    doc: "A NovaComputeNode with three servers is deleted, and a person agrees a while later.",
    async act(user) {
      await serving(user);
      await user.attempt("deletes NovaComputeNode", (client) => client.delete(NovaComputeNode, namespace, host));
      await user.pause(20_000);
      await patch(user, NovaComputeNode, "agrees to", approval);
      await until(user, isGone(user));
    },
  },
  {
    ...usual,
    name: "l2-agent-updated",
    // The same, and then agents come back one after another.
    sweepsAfterOutage: 7,
    doc: "The template of an L2 agent changes: the servers leave, the agent's pod is made again, and all comes back.",
    async act(user) {
      await serving(user);
      const uidOfPod = async () =>
        (await user.list(Pod, namespace)).find(({ metadata }) => metadata.name === l2Pod)?.metadata.uid;
      const before = await uidOfPod();
      const changed = { ...template, metadata: { labels: { app: "agent", version: "2" } } };
      await patch(user, NeutronL2Agent, "changes", { ...approval, spec: { template: changed } });
      await user.pause(20_000);
      await patch(user, NovaComputeNode, "agrees to", approval);
      await until(user, async () => ![before, undefined].includes(await uidOfPod()));
      await until(user, isEnabled(user));
    },
  },
  {
    ...usual,
    name: "eviction-called-off",
    doc: "A compute node is to be cleared, and is to serve again before all its servers have left, or after.",
    async act(user) {
      await serving(user);
      await setState(user, "DisabledAndCleared");
      await user.pause(60_000);
      await setState(user, "Enabled");
      await until(user, isEnabled(user));
    },
  },
  {
    ...usual,
    name: "disabled-by-a-person",
    doc: "A person has disabled nova-compute; it is evicted, is to serve again, and stays disabled.",
    async act(user) {
      await serving(user);
      const service = cloudOf(user).standIn.cloud.hosts.get(host);
      Object.assign(service ?? {}, { isEnabled: false, reason: "a person's" });
      await setState(user, "DisabledAndCleared");
      await until(user, async () => conditionOf(await computeOf(user), "Evicted")?.status === "Evicted");
      await setState(user, "Enabled");
      await user.pause(60_000);
    },
  },
];
