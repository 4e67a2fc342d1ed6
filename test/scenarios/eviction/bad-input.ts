import { expect } from "vitest";
import {
  NeutronL2Agent,
  NeutronL3Agent,
  NeutronOVNAgent,
  NovaComputeNode,
} from "../../../functions/eviction/lib/kinds.ts";
import { abandonKey, approvalKey, movingKey, recordKey } from "../../../functions/eviction/lib/names.ts";
import { maintenanceLabel } from "../../../functions/eviction/lib/node-lock.ts";
import { l3 } from "../../../functions/eviction/lib/openstack/neutron.ts";
import { type Kind, Namespace, Node, Pod } from "../../../shared/kubernetes/kind.ts";
import type { SystemResponse } from "../../../shared/system/transport.ts";
import { bareNode } from "../../harness/cluster-objects.ts";
import { manifest } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import {
  agentOn,
  agentPod,
  annotate,
  approve,
  boot,
  computeOf,
  create,
  createAgent,
  evict,
  hostsOf,
  isGone,
  locksOf,
  namespace,
  node,
  nothingHappens,
  other,
  podOf,
  remove,
  says,
  serve,
  swept,
  whereabouts,
} from "./helpers.ts";
import { besideOf, standInOpenStack } from "./settings.ts";

const both = [NovaComputeNode, NeutronL3Agent];
const anyApi = ["nova", "neutron"];
const catalog = (endpoints: readonly object[]) => ({
  status: 201,
  headers: { "x-subject-token": "t" },
  body: JSON.stringify({
    token: { issued_at: "2026-01-01T00:00:00Z", expires_at: "2099-01-01T00:00:00Z", catalog: endpoints },
  }),
});
const page = { body: "<html><body>Welcome</body></html>" };

/**
 * Who answers what, and what the conditions of a compute node and an L3 agent that are to leave say then. The client's
 * own tests have every answer that is none; here is one of each that it takes for an outage or for a refusal.
 */
const answers: readonly (readonly [string, readonly string[], Partial<SystemResponse>, RegExp])[] = [
  ["Nova and Neutron answer with a page", anyApi, page, /waits for OpenStack.*is not OpenStack's: no JSON/],
  [
    "Nova and Neutron redirect",
    anyApi,
    { status: 302, headers: { location: "https://elsewhere/" } },
    /waits for OpenStack.*redirects.*elsewhere.*not sent there/,
  ],
  ["Keystone answers with a page", ["keystone"], { status: 201, ...page }, /waits for OpenStack.*no JSON/],
  [
    "the catalog is another cloud's, which has neither",
    ["keystone"],
    catalog([]),
    /waits for OpenStack.*catalog has no service (compute|network)/,
  ],
];

const template = { spec: { containers: [{ name: "agent", image: "agent" }] } };
const label = { key: "compute", value: "true" };
const matchLabels = { app: "agent" };

/** Specs of which one field is wrong, and what the server says of it. */
const wrong: readonly (readonly [Kind, object, RegExp])[] = [
  [NovaComputeNode, { template, state: "Gone" }, /spec\.state/],
  [NovaComputeNode, { template, state: 1 }, /spec\.state/],
  [NeutronL3Agent, { template, state: "Disabled" }, /spec\.state/],
  [NovaComputeNode, { template, lockName: "" }, /must be the name of an annotation/],
  [NovaComputeNode, { template, lockName: "two words" }, /must be the name of an annotation/],
  [NovaComputeNode, { template, lockName: "-first" }, /must be the name of an annotation/],
  [NovaComputeNode, { template, lockName: "l".repeat(64) }, /spec\.lockName/],
  [NovaComputeNode, {}, /must have a template or a selector/],
  [NovaComputeNode, { template, selector: { matchLabels, schedulingLabel: label } }, /and not both/],
  [NovaComputeNode, { template: "agent" }, /spec\.template/],
  [NovaComputeNode, { template: {} }, /spec\.template\.spec/],
  [NovaComputeNode, { template: { spec: { containers: [] } } }, /spec\.template\.spec\.containers/],
  [NovaComputeNode, { template: { spec: { containers: [{ image: "agent" }] } } }, /containers\[0\]\.name/],
  [NovaComputeNode, { selector: { schedulingLabel: label } }, /spec\.selector\.matchLabels/],
  [NovaComputeNode, { selector: { matchLabels: {}, schedulingLabel: label } }, /must name a label/],
  [NovaComputeNode, { selector: { matchLabels: { app: 1 }, schedulingLabel: label } }, /spec\.selector\.matchLabels/],
  [NovaComputeNode, { selector: { matchLabels } }, /spec\.selector\.schedulingLabel/],
  [NovaComputeNode, { selector: { matchLabels, schedulingLabel: { key: "", value: "" } } }, /schedulingLabel\.key/],
  [
    NovaComputeNode,
    { selector: { matchLabels, schedulingLabel: { key: "node-role.kubernetes.io/compute", value: "" } } },
    /must not be a label of Kubernetes' own/,
  ],
  [
    NovaComputeNode,
    { selector: { matchLabels, schedulingLabel: { key: "k", value: "v".repeat(64) } } },
    /schedulingLabel\.value/,
  ],
  [NovaComputeNode, { template, eviction: true }, /spec\.eviction/],
  [NovaComputeNode, { template, eviction: { ironicNodeShutdown: {} } }, /ironicNodeShutdown\.node/],
  [NovaComputeNode, { template, eviction: { ironicNodeShutdown: { node: "" } } }, /ironicNodeShutdown\.node/],
  [NovaComputeNode, { template, eviction: { ironicNodeShutdown: { node: 7 } } }, /ironicNodeShutdown\.node/],
  [NeutronL2Agent, {}, /spec\.template/],
  [NeutronOVNAgent, { template: { spec: {} } }, /spec\.template\.spec\.containers/],
];

export const badInputScenarios: readonly Scenario[] = [
  {
    title: "a resource of which one field is wrong is refused by the server, which names the field",
    async run({ admin }) {
      for (const [kind, spec, refusal] of wrong)
        await expect(
          admin.create(kind, manifest(kind, { name: "wrong", namespace }, { spec })),
          `${kind.kind} ${JSON.stringify(spec)}`,
        ).rejects.toThrow(refusal);
    },
  },
  ...answers.map(
    ([what, services, answer, message]): Scenario => ({
      title: `while ${what}, servers, routers, pods and locks stay, and it says so; then it goes on by itself`,
      async run(cluster) {
        const beside = besideOf(cluster);
        await createAgent(cluster, NeutronL3Agent);
        const ids = await boot(cluster, 1);
        const router = await serve(cluster, l3);
        beside.tamper = (service) => (services.includes(service) ? answer : undefined);
        if (services.includes("keystone")) beside.standIn?.expireTokens();
        await evict(cluster, ...both);
        for (const kind of both) await says(cluster, message, kind);
        await nothingHappens(cluster);
        expect([await whereabouts(cluster, ids), await hostsOf(cluster, l3, router)]).toEqual([
          [`ACTIVE ${node}`],
          [node],
        ]);
        for (const kind of both) expect(await podOf(cluster, agentPod(kind))).toBeDefined();
        expect(await locksOf(cluster)).toEqual(["NeutronL3Agent", "NovaComputeNode"]);
        delete beside.tamper;
        for (const kind of both) await isGone(cluster, kind);
        expect([await whereabouts(cluster, ids), await hostsOf(cluster, l3, router)]).toEqual([
          [`ACTIVE ${other}`],
          [other],
        ]);
      },
      settings: [standInOpenStack],
    }),
  ),
  {
    title: "another cloud, which knows neither host nor agent, evicts nothing, and nothing is taken for empty",
    async run(cluster) {
      const beside = besideOf(cluster);
      await createAgent(cluster, NeutronL3Agent);
      const ids = await boot(cluster, 1);
      const router = await serve(cluster, l3);
      const none = { services: [], servers: [], migrations: [], agents: [], routers: [] };
      beside.tamper = (service, { path }) =>
        anyApi.includes(service) && path !== "/" ? { body: JSON.stringify(none) } : undefined;
      await evict(cluster, ...both);
      await says(cluster, "Nova knows no nova-compute");
      await says(cluster, "Neutron knows no L3 agent", NeutronL3Agent);
      await nothingHappens(cluster);
      expect(await locksOf(cluster)).toEqual(["NeutronL3Agent", "NovaComputeNode"]);
      delete beside.tamper;
      for (const kind of both) await isGone(cluster, kind);
      expect([await whereabouts(cluster, ids), await hostsOf(cluster, l3, router)]).toEqual([
        [`ACTIVE ${other}`],
        [other],
      ]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a token that ends again and again in the middle stops no eviction, and moves nothing twice",
    async run(cluster) {
      const beside = besideOf(cluster);
      await createAgent(cluster, NeutronL3Agent);
      const ids = await boot(cluster, 2);
      const router = await serve(cluster, l3);
      // At uneven distances: at even ones each look could end at the same request, for ever.
      let requests = 0;
      let next = 11;
      beside.tamper = () => {
        if (++requests < next) return undefined;
        next += 11 + (requests % 7);
        beside.standIn?.expireTokens();
        return undefined;
      };
      await evict(cluster, ...both);
      for (const kind of both) await isGone(cluster, kind);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`]);
      expect(await hostsOf(cluster, l3, router)).toEqual([other]);
      expect(beside.standIn?.cloud.moves).toHaveLength(2);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a resource whose Node has a name that no host has is kept until a person gives the host up",
    async run(cluster) {
      const { admin } = cluster;
      const pod = `novacomputenode-${bareNode}`;
      const get = () => admin.get(NovaComputeNode, namespace, bareNode);
      const annotate = (annotations: Record<string, string>) =>
        admin.patch(NovaComputeNode, namespace, bareNode, "merge", { metadata: { annotations } });
      await admin.patch(Node, undefined, bareNode, "merge", { metadata: { labels: { [maintenanceLabel]: "False" } } });
      const template = { spec: { containers: [{ name: "nova-compute", image: "agent" }] } };
      await create(cluster, { template }, NovaComputeNode, bareNode);
      await swept(cluster, "its pod is there", async () => (await podOf(cluster, pod)) !== undefined);
      await admin.delete(NovaComputeNode, namespace, bareNode);
      await annotate({ [approvalKey]: "true" });
      const advice = `kubectl annotate novacomputenode -n ${namespace} ${bareNode} ${abandonKey}=${bareNode}`;
      await swept(cluster, "it says so", async () => JSON.stringify((await get())?.status ?? "").includes(advice));
      await nothingHappens(cluster);
      expect((await podOf(cluster, pod))?.metadata.deletionTimestamp).toBeUndefined();
      await annotate({ [abandonKey]: bareNode });
      await swept(cluster, "it is gone", async () => {
        const going = await podOf(cluster, pod);
        if (going?.metadata.deletionTimestamp) await admin.delete(Pod, namespace, pod, { gracePeriodSeconds: 0 });
        return !(await get());
      });
      await admin.patch(Node, undefined, bareNode, "merge", { metadata: { labels: { [maintenanceLabel]: null } } });
    },
    settings: [standInOpenStack],
  },
  {
    title: "another cloud, which has a host of the same name, gets no call of an eviction that began before",
    async run(cluster) {
      const { standIn } = besideOf(cluster);
      const ids = await boot(cluster, 2);
      await evict(cluster);
      await swept(cluster, "it begins", async () => (standIn?.cloud.moves ?? []).length > 0);
      const host = standIn?.cloud.hosts.get(node);
      if (host) standIn?.cloud.hosts.set(node, { ...host, id: "of-another-cloud" });
      await says(cluster, "but Nova now has of-another-cloud there. Holdfast changes nothing there");
      const calls = standIn?.cloud.moves.length;
      await nothingHappens(cluster);
      expect(standIn?.cloud.moves).toHaveLength(calls ?? 0);
      expect(await podOf(cluster)).toBeDefined();
      if (host) standIn?.cloud.hosts.set(node, host);
      await isGone(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a damaged record of an eviction stops it until a person restores or removes the record, and is kept",
    async run(cluster) {
      const { standIn } = besideOf(cluster);
      const ids = await boot(cluster, 3);
      await evict(cluster);
      await swept(cluster, "it begins", async () => (standIn?.cloud.moves ?? []).length > 0);
      const damaged = { [recordKey]: '{"v":9}' };
      await annotate(cluster, damaged);
      const cure = `kubectl annotate novacomputenode -n ${namespace} ${node} ${recordKey}-`;
      expect(await says(cluster, "is damaged, so Holdfast does not know what it has asked Nova")).toContain(cure);
      const calls = standIn?.cloud.moves.length;
      await nothingHappens(cluster);
      expect(standIn?.cloud.moves).toHaveLength(calls ?? 0);
      expect((await computeOf(cluster))?.metadata.annotations).toMatchObject(damaged);
      expect(await podOf(cluster)).toBeDefined();
      await annotate(cluster, { [recordKey]: null });
      await isGone(cluster);
      expect(await whereabouts(cluster, ids)).toEqual(ids.map(() => `ACTIVE ${other}`));
    },
    settings: [standInOpenStack],
  },
  {
    title: "a damaged record of an agent's eviction stops it until a person removes the record, and is kept",
    async run(cluster) {
      const { wire } = besideOf(cluster);
      await createAgent(cluster, NeutronL3Agent);
      const router = await serve(cluster, l3);
      // It is taken from the agent, and Neutron is away before another one gets it.
      let isTaken = false;
      wire.step = (request, send) => {
        if (isTaken) throw new Error("socket hang up");
        isTaken = request.method === "DELETE" && request.path.includes(router);
        return send();
      };
      await evict(cluster, NeutronL3Agent);
      await swept(cluster, "it is taken", async () => isTaken);
      const damaged = { [movingKey]: "{}" };
      await annotate(cluster, damaged, NeutronL3Agent);
      wire.step = (_, send) => send();
      const cure = `kubectl annotate neutronl3agent -n ${namespace} ${node} ${movingKey}-`;
      expect(
        await says(
          cluster,
          "so Holdfast does not know which routers, networks or BGP speakers are between",
          NeutronL3Agent,
        ),
      ).toContain(cure);
      await nothingHappens(cluster);
      const agent = await cluster.admin.get(NeutronL3Agent, namespace, node);
      expect(agent?.metadata.annotations).toMatchObject(damaged);
      expect(await podOf(cluster, agentPod(NeutronL3Agent))).toBeDefined();
      await besideOf(cluster)
        .cloud.neutron()
        .add(l3, (await agentOn(cluster, l3, other)).id, router);
      await annotate(cluster, { [movingKey]: null }, NeutronL3Agent);
      await isGone(cluster, NeutronL3Agent);
      expect(await hostsOf(cluster, l3, router)).toEqual([other]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a second resource for one host, in another namespace, is left alone and evicts nothing",
    async run(cluster) {
      const { admin } = cluster;
      const ids = await boot(cluster, 1);
      const elsewhere = { name: node, namespace: "elsewhere" };
      await admin.create(Namespace, manifest(Namespace, { name: elsewhere.namespace }));
      const annotations = { [approvalKey]: "true" };
      const spec = { state: "DisabledAndCleared", template: { spec: { containers: [{ name: "a", image: "a" }] } } };
      await admin.create(NovaComputeNode, manifest(NovaComputeNode, { ...elsewhere, annotations }, { spec }));
      await nothingHappens(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${node}`]);
      const second = await admin.get(NovaComputeNode, elsewhere.namespace, node);
      expect([second?.metadata.finalizers, second?.status]).toEqual([undefined, undefined]);
      await admin.delete(NovaComputeNode, elsewhere.namespace, node);
      await remove(cluster, NovaComputeNode);
      await approve(cluster);
      await isGone(cluster, NovaComputeNode);
    },
    settings: [standInOpenStack],
  },
];
