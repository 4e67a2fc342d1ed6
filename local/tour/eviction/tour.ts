import { NeutronL2Agent, NeutronL3Agent, NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import { approvalKey, conditions } from "../../../functions/eviction/lib/names.ts";
import { locksOn, maintenanceLabel, maintenanceOf } from "../../../functions/eviction/lib/node-lock.ts";
import type { DependentObject } from "../../../functions/eviction/lib/schema.ts";
import { type Kind, Node, Pod, Secret } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { timestamp } from "../../../shared/kubernetes/timestamp.ts";
import type { OwnCluster } from "../../cluster/running-cluster.ts";
import { withSettings } from "../../cluster/with-settings.ts";
import { aborted } from "../../time/aborted.ts";
import { tourNamespace } from "../namespace.ts";
import { oftenSwept } from "../often-swept.ts";
import type { Proof, Step } from "../play.ts";
import type { Tour, TourWorld } from "../tour.ts";
import { leaving, password, type StandIns, startStandIns, staying } from "./stand-ins.ts";

/** An OpenStack host from end to end: evicted live, under an update of its L2 agent, and dead. */
export const tour: Tour = { title: "Eviction of OpenStack hosts", ownCluster: true, steps };

const template = { spec: { containers: [{ name: "agent", image: "agent" }] } };
const settings = {
  AGENT_NAMESPACE: tourNamespace,
  OPENSTACK_ALLOW_HTTP: "true",
  EVICTION_LOOK_AGAIN: "1000",
  EVICTION_DOWN_FOR: "3s",
  EVICTION_SHARED_STORAGE: "true",
};
/** Of a proof that waits for several functions, one after the other. */
const patience = 180_000;

function steps(world: TourWorld): Step[] {
  const { client, own } = world;
  let standIns: StandIns;
  let restoreSweep = async () => {};
  let servers: readonly string[] = [];
  let router = "";
  let l2Pod: string | undefined;

  const create = (kind: Kind, object: { metadata: object; spec?: object; data?: object }) =>
    client.create(kind, { apiVersion: kind.apiVersion, kind: kind.kind, ...object } as unknown as KubernetesObject);
  const resource = (kind: Kind, more: object = {}) =>
    create(kind, { metadata: { name: leaving, namespace: tourNamespace }, spec: { template, ...more } });
  const get = (kind: Kind) => client.get<DependentObject>(kind, tourNamespace, leaving);
  const annotate = (kind: Kind, annotations: object) =>
    client.patch(kind, tourNamespace, leaving, "merge", { metadata: { annotations } });
  const approve = (kind: Kind) => annotate(kind, { [approvalKey]: "true" });
  const node = async () => (await client.get(Node, undefined, leaving)) as KubernetesObject;
  const podOf = (kind: Kind) => client.get(Pod, tourNamespace, `${kind.kind.toLowerCase()}-${leaving}`);
  const said = async (kind: Kind, type: keyof typeof conditions) =>
    (await get(kind))?.status?.conditions?.find((one) => one.type === conditions[type]);
  const service = () => standIns.cloud.hosts.get(leaving);
  const isUp = () => [service()].some((host) => host && standIns.cloud.isUp(host));
  const routerOn = () => {
    const agent = standIns.network.all.get(router)?.agents[0];
    return [leaving, staying].find((host) => standIns.network.agent(host, "l3").id === agent);
  };
  const whereabouts = () =>
    servers.map((id) => {
      const { status, host, name } = standIns.cloud.instances.get(id) ?? {};
      return `${name} ${status} ${host}`;
    });

  /** A condition that says so, shown as kubectl shows it. */
  const says = (what: string, kind: Kind, type: keyof typeof conditions, text: string): Proof => ({
    what,
    patience,
    check: async () => {
      const found = await said(kind, type);
      const line = `${conditions[type]} ${found?.status} ${found?.reason}: ${found?.message}`;
      return line.includes(text) && line;
    },
  });
  const lasting = (what: string, check: Proof["check"]): Proof => ({ what, check, patience });
  const elsewhere = (what: string) =>
    lasting(what, async () => {
      const isThere = (one: string) => [`ACTIVE ${staying}`, `SHUTOFF ${staying}`].some((end) => one.endsWith(end));
      return whereabouts().every(isThere) && whereabouts().join(", ");
    });
  const gone = lasting("the resource is gone, its pod and its lock before it", async () => {
    const locks = locksOn(await node());
    return !(await get(NovaComputeNode)) && !(await podOf(NovaComputeNode)) && !locks.includes(NovaComputeNode.kind);
  });
  const serves = (kind: Kind) => says(`the ${kind.kind} serves`, kind, "enabled", "True");

  const install = async (cluster: OwnCluster) => {
    standIns = await startStandIns(world, cluster);
    await create(Secret, {
      metadata: { name: "holdfast-openstack", namespace: "holdfast" },
      data: { password: Buffer.from(password).toString("base64") },
    });
    await cluster.install(["access/eviction", "eviction"], (object) => {
      const set = withSettings(object, "eviction", { ...settings, OS_AUTH_URL: standIns.authUrl });
      const { metadata } = set;
      return metadata.namespace === "yaook" ? { ...set, metadata: { ...metadata, namespace: tourNamespace } } : set;
    });
    restoreSweep = await oftenSwept(world);
    await resource(NeutronL2Agent);
    await resource(NovaComputeNode, { eviction: { ironicNodeShutdown: { node: leaving } } });
    await resource(NeutronL3Agent);
  };
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    while (!(await isSo())) await world.clock.sleep(200, world.signal);
  };
  const boot = async (...names: readonly string[]) => {
    servers = names.map((name) => standIns.cloud.boot(name, leaving, "admin", "image").id);
    await until(() => whereabouts().every((one) => one.endsWith(`ACTIVE ${leaving}`)));
  };

  const installed: Step = {
    title: "An OpenStack host",
    text:
      `A stand-in for OpenStack has the hosts ${leaving} and ${staying}. Node ${leaving} gets an L2 agent, and then ` +
      "nova-compute and an L3 agent, which need it.",
    // What waits for stand-ins that have ended would wait for ever.
    act: async () => void (own && (await Promise.race([install(own), aborted(world.signal)]))),
    proofs: [
      lasting("the L2 agent is ready, and the Node's label is False", async () => {
        return maintenanceOf(await node()) === "False" && `${maintenanceLabel}=False`;
      }),
      serves(NovaComputeNode),
      serves(NeutronL3Agent),
      {
        what: "both have locked the Node",
        check: async () => locksOn(await node()).length === 2 && locksOn(await node()).join(", "),
      },
    ],
  };

  const asked: Step = {
    title: "Deleted, and nothing moves",
    text: `Three servers run on ${leaving}, one of them is stopped. kubectl delete novacomputenode ${leaving}`,
    async act() {
      await boot("web", "mail", "off");
      const off = standIns.cloud.instances.get(servers[2] ?? "");
      if (off) standIns.cloud.act(off, "os-stop", null);
      await client.delete(NovaComputeNode, tourNamespace, leaving);
    },
    proofs: [says("it says how a person agrees", NovaComputeNode, "converged", approvalKey)],
  };

  const left: Step = {
    title: "A person agrees, and the servers leave",
    text:
      `kubectl annotate novacomputenode ${leaving} ${approvalKey}=true. No new server comes to the host; those that ` +
      "run are moved while they run, and the one that is off is moved and confirmed.",
    act: async () => void (await approve(NovaComputeNode)),
    proofs: [
      lasting("nova-compute is disabled, and Nova says why", async () => !service()?.isEnabled && service()?.reason),
      elsewhere(`all are on ${staying}`),
      gone,
      { what: "each was moved once", check: async () => standIns.cloud.moves.length === servers.length },
    ],
  };

  const updated: Step = {
    title: "The L2 agent is updated",
    text:
      "The host serves again, with one server and a router. Then the template of its L2 agent changes, and a person " +
      "agrees: the Node's label becomes True, and the agent is not touched while a lock is on the Node.",
    async act() {
      await resource(NovaComputeNode, { eviction: { ironicNodeShutdown: { node: leaving } } });
      await until(async () => (await said(NovaComputeNode, "enabled"))?.status === "True");
      await boot("web");
      const made = standIns.network.create("l3", "router");
      made.agents = [standIns.network.agent(leaving, "l3").id];
      router = made.id;
      l2Pod = (await podOf(NeutronL2Agent))?.metadata.uid;
      const spec = { template: { metadata: { labels: { version: "2" } } } };
      const metadata = { annotations: { [approvalKey]: "true" } };
      await client.patch(NeutronL2Agent, tourNamespace, leaving, "merge", { metadata, spec });
    },
    proofs: [
      says("it waits for both locks", NeutronL2Agent, "converged", "NeutronL3Agent, NovaComputeNode"),
      {
        what: "its pod is the same one",
        check: async () => (await podOf(NeutronL2Agent))?.metadata.uid === l2Pod,
      },
      // Holdfast removes an agreement that it has not asked for: it may be left from an earlier eviction.
      says("the compute node asks for an agreement", NovaComputeNode, "converged", approvalKey),
      says("the L3 agent asks for an agreement", NeutronL3Agent, "converged", approvalKey),
    ],
  };

  const renewed: Step = {
    title: "Server and router leave, and all comes back",
    text: "A person agrees to both. When the last lock is gone the L2 agent is replaced; then the others come back.",
    async act() {
      for (const kind of [NovaComputeNode, NeutronL3Agent]) await approve(kind);
    },
    proofs: [
      elsewhere("the server has moved while it ran"),
      lasting("another L3 agent has the router", async () => routerOn() === staying && `router on ${staying}`),
      lasting("the L2 agent's pod is another one", async () => {
        const pod = await podOf(NeutronL2Agent);
        return pod !== undefined && pod.metadata.uid !== l2Pod;
      }),
      lasting("the label is False again", async () => maintenanceOf(await node()) === "False"),
      serves(NovaComputeNode),
      serves(NeutronL3Agent),
      lasting("nova-compute is enabled again", async () => service()?.isEnabled),
    ],
  };

  const died: Step = {
    title: "The host loses power",
    text:
      `Two servers run on ${leaving} when it falls silent. kubectl delete novacomputenode, and a person agrees: ` +
      "what a dead host may still write to disks is the danger, so it is turned off first.",
    async act() {
      await boot("web", "mail");
      standIns.losePower();
      // Before that Nova would begin to move its servers while they run, and only a person ends such a move.
      await until(() => !isUp());
      // As the node lifecycle controller does after 40 s of silence.
      const lastTransitionTime = timestamp(world.clock.now());
      const ready = { type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", message: "", lastTransitionTime };
      await client.patch(
        Node,
        undefined,
        leaving,
        "merge",
        { status: { conditions: [ready] } },
        { subresource: "status" },
      );
      await client.delete(NovaComputeNode, tourNamespace, leaving);
      await approve(NovaComputeNode);
    },
    proofs: [
      says("Nova and Kubernetes both call it down", NovaComputeNode, "hostDown", "True"),
      lasting("Ironic has turned it off", async () => service()?.power === "power off"),
      lasting("only then nova-compute is forced down in Nova", async () => service()?.isForcedDown),
      elsewhere("each server is started elsewhere"),
      {
        what: "each of them once",
        check: async () => {
          const evacuated = standIns.cloud.moves.flatMap(({ server, type }) => (type === "evacuation" ? [server] : []));
          return [...evacuated].sort().join() === [...servers].sort().join();
        },
      },
      gone,
    ],
  };

  const over: Step = {
    title: "The agents are deleted",
    text: "A person agrees that the L3 agent and then the L2 agent go; what stood in for OpenStack is taken down.",
    async act() {
      for (const kind of [NeutronL3Agent, NeutronL2Agent]) {
        await client.delete(kind, tourNamespace, leaving);
        await approve(kind);
      }
    },
    proofs: [
      lasting("both are gone", async () => {
        // Its kubelet is off, and ends no pod.
        for (const kind of [NeutronL3Agent, NeutronL2Agent])
          if ((await podOf(kind))?.metadata.deletionTimestamp)
            await client.delete(Pod, tourNamespace, `${kind.kind.toLowerCase()}-${leaving}`, { gracePeriodSeconds: 0 });
        return !(await get(NeutronL3Agent)) && !(await get(NeutronL2Agent));
      }),
      {
        what: "the label stays True, so that nothing comes before another L2 agent is ready",
        check: async () => {
          if (maintenanceOf(await node()) !== "True") return false;
          await client.delete(Node, undefined, leaving);
          await restoreSweep();
          return true;
        },
      },
    ],
  };

  return [installed, asked, left, updated, renewed, died, over];
}
