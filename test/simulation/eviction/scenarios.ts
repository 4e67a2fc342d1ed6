import { lateFor } from "../../../functions/eviction/lib/dependent.ts";
import { NeutronL2Agent, NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import { approvalKey } from "../../../functions/eviction/lib/names.ts";
import { minute } from "../../../shared/duration.ts";
import { Namespace, Node, Pod } from "../../../shared/kubernetes/kind.ts";
import { manifest } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import type { User } from "../user.ts";
import { host, otherHost, type SimulatedOpenStack } from "./openstack.ts";
import { type ComputeLike, computesIn, conditionOf, l2Pod, podPrefix } from "./resources.ts";
import { evictions } from "./settings.ts";

/** The cloud of a run. */
export const cloudOf = (user: User) => user.outside("eviction") as SimulatedOpenStack;
/** Where the agents of the host are. */
export const namespace = "yaook";
const template = { metadata: { labels: { app: "agent" } }, spec: { containers: [{ name: "agent", image: "agent" }] } };

async function until(user: User, check: () => Promise<boolean>, rounds = 6): Promise<void> {
  for (let round = 0; round < rounds && !(await check()); round++) await user.until(check);
}
/** The NovaComputeNode of a host. */
const computeOf = async (user: User, name: string = host) =>
  (await user.list(NovaComputeNode, namespace)).find(({ metadata }) => metadata.name === name) as
    | ComputeLike
    | undefined;
/** Whether nova-compute serves. */
export const isEnabled = (user: User, name?: string) => async () =>
  conditionOf(await computeOf(user, name), "Enabled")?.status === "True";
/** Whether nothing is left on a host that is to be cleared. */
export const isEvicted = (user: User, name?: string) => async () =>
  conditionOf(await computeOf(user, name), "Evicted")?.status === "Evicted";
const isAskedToAgree = (user: User) => async () =>
  conditionOf(await computeOf(user), "Converged")?.message?.includes(approvalKey) ?? false;
/** Whether the NovaComputeNode is gone. */
export const isGone = (user: User) => async () => (await computeOf(user)) === undefined;
const patch = (
  user: User,
  kind: typeof NovaComputeNode | typeof NeutronL2Agent,
  what: string,
  patch: object,
  on = host,
) => user.attempt(`${what} ${kind.kind} ${on}`, (client) => client.patch(kind, namespace, on, "merge", patch));
const approval = { metadata: { annotations: { [approvalKey]: "true" } } };
/** Says what state a compute node is to have, and agrees to what follows. */
export const setState = (user: User, state: string, on: string = host) => {
  const annotations = { ...approval.metadata.annotations, [askedKey]: new Date(user.now()).toISOString() };
  return patch(user, NovaComputeNode, `has ${state}`, { metadata: { annotations }, spec: { state } }, on);
};
const admittedBy = "maintenance.yaook.cloud/maintenance-required-l2-agent";
/** When a user has last said what state a compute node is to have. */
const askedKey = "example.com/asked";

const create = (user: User, kind: typeof NovaComputeNode | typeof NeutronL2Agent, name: string, spec: object) =>
  user.attempt(`creates ${kind.kind} ${name}`, (client) =>
    client.create(kind, manifest(kind, { name, namespace }, { spec: { template, ...spec } })),
  );
const createNamespace = (user: User) =>
  user.attempt("creates the namespace", (client) => client.create(Namespace, manifest(Namespace, { name: namespace })));
/** Boots servers, unless nova-compute has not come to serve while the user waited: Nova has no such host then. */
async function boots(user: User, on: string, areOff: readonly boolean[]): Promise<void> {
  if (!(await isEnabled(user, on)())) return;
  const servers = areOff.map((isOff) => cloudOf(user).boot(on, isOff));
  await until(user, async () => servers.every(({ status, task }) => status !== "BUILD" && !task));
}

/** An L2 agent, a nova-compute that serves, and three servers on it, one of them off. */
export async function serving(user: User, areOff: readonly boolean[] = [false, false, true]): Promise<void> {
  await createNamespace(user);
  await create(user, NeutronL2Agent, host, {});
  await create(user, NovaComputeNode, host, { state: "Enabled" });
  await until(user, isEnabled(user));
  await boots(user, host, areOff);
  await user.pause(5_000);
}

/** What the other Node says of itself, and of the pod on it, which have no kubelet. */
const report = (user: User, status: "True" | "Unknown", kind: typeof Node | typeof Pod, name: string) =>
  user.attempt(`says that ${kind.kind} ${name} is Ready: ${status}`, (client) => {
    const conditions = [{ type: "Ready", status, lastTransitionTime: new Date(user.now()).toISOString() }];
    const within = kind === Pod ? namespace : undefined;
    return client.patch(kind, within, name, "merge", { status: { conditions } }, { subresource: "status" });
  });

/** The same on the other host, whose machine Ironic may turn off. */
async function otherServing(user: User, areOff: readonly boolean[]): Promise<void> {
  await createNamespace(user);
  await user.attempt("admits agents to the other Node", (client) =>
    client.patch(Node, undefined, otherHost, "merge", { metadata: { labels: { [admittedBy]: "False" } } }),
  );
  await report(user, "True", Node, otherHost);
  const eviction = { ironicNodeShutdown: { node: otherHost } };
  await create(user, NovaComputeNode, otherHost, { state: "Enabled", eviction });
  await until(user, isEnabled(user, otherHost));
  await until(user, () => startOtherPod(user));
  await boots(user, otherHost, areOff);
}

/** Does what a kubelet of the other Node would do, and says whether the pod there is Ready. */
async function startOtherPod(user: User): Promise<boolean> {
  const name = `${podPrefix}${otherHost}`;
  const pod = (await user.list(Pod, namespace)).find(({ metadata }) => metadata.name === name);
  if (!pod) return false;
  if (conditionOf(pod, "Ready")?.status === "True") return true;
  await report(user, "True", Pod, name);
  return false;
}

/** Milliseconds in which a host is cleared, or enabled, where nothing that it needs is away. */
const clearedWithin = 180_000;

// Three servers move one after another, an empty host is looked at twice, and an L2 agent's pod is made again.
export const sweepsToMove = 6;
const usual = { setting: evictions, waits: true, sweepsAfterOutage: sweepsToMove };

/** What happens to hosts of OpenStack. */
export const scenarios: readonly Scenario[] = [
  {
    ...usual,
    name: "compute-node-deleted",
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
    doc: "The template of an L2 agent changes: the servers leave, the agent's pod is made again, and all comes back.",
    async act(user) {
      await serving(user);
      const uidOfPod = async () =>
        (await user.list(Pod, namespace)).find(({ metadata }) => metadata.name === l2Pod)?.metadata.uid;
      const before = await uidOfPod();
      const changed = { ...template, metadata: { labels: { app: "agent", version: "2" } } };
      await patch(user, NeutronL2Agent, "changes", { ...approval, spec: { template: changed } });
      // An agreement that comes earlier than the question is removed, as one of a former eviction. Where much goes
      // wrong, the question takes minutes.
      await until(user, isAskedToAgree(user), 20);
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
      await until(user, isEvicted(user));
      await setState(user, "Enabled");
      await user.pause(60_000);
    },
  },
  {
    ...usual,
    name: "two-hosts-cleared",
    doc: "Two compute nodes are to be cleared at the same time, and serve again when their servers have left.",
    parts: {
      texts: [host, otherHost, "keystone.stand-in"],
      goesOn(history, now, away) {
        const held = computesIn({ history }).find((compute) => {
          const wanted = compute.spec?.state === "Enabled" ? "Enabled" : "Evicted";
          const is = conditionOf(compute, wanted)?.status;
          const isLate = now - Date.parse(compute.metadata.annotations?.[askedKey] ?? "") > clearedWithin;
          return compute.metadata.name !== away && isLate && is !== (wanted === "Enabled" ? "True" : wanted);
        });
        return away.startsWith("holdfast") && held
          ? `NovaComputeNode ${held.metadata.name} waits, and its own host was not away.`
          : undefined;
      },
    },
    async act(user) {
      await serving(user, [false, false]);
      await otherServing(user, [false, false]);
      for (const state of ["DisabledAndCleared", "Enabled"]) {
        for (const name of [host, otherHost]) await setState(user, state, name);
        if (state === "Enabled") {
          // The pod may be missing until the next tick of the sweep, where events are lost, or be another one.
          const serve = async () => (await isEnabled(user, otherHost)()) && (await isEnabled(user)());
          await until(user, async () => (await startOtherPod(user)) && (await serve()), 12);
        } else for (const name of [host, otherHost]) await until(user, isEvicted(user, name));
      }
    },
  },
  {
    ...usual,
    name: "host-lost",
    doc: "A host that is to be cleared loses power: Ironic turns its machine off, and its servers start elsewhere.",
    // A call to evacuate that was given up is waited out.
    sweepsAfterOutage: sweepsToMove + lateFor / minute,
    parts: { texts: ["/openstack@", "keystone.stand-in", "ironic.stand-in", '"evacuate"'] },
    async act(user) {
      await otherServing(user, [false, false, true]);
      // A server that is being moved then is left to a person.
      cloudOf(user).lose(otherHost);
      await report(user, "Unknown", Node, otherHost);
      const { cloud } = cloudOf(user).standIn;
      const lost = [...cloud.hosts.values()].filter(({ name }) => name === otherHost);
      await until(user, async () => !lost.some(cloud.isUp));
      await setState(user, "DisabledAndCleared", otherHost);
      for (let round = 0; round < 2; round++) await until(user, isEvicted(user, otherHost));
    },
  },
];
