import { Cluster, LinstorSatellite, Machine } from "../../../functions/satellite/lib/kinds.ts";
import { parseJson } from "../../../functions/satellite/lib/linstor/caller.ts";
import { linstor as linstorSystem } from "../../../functions/satellite/lib/linstor/system.ts";
import { csiDriver } from "../../../functions/satellite/lib/volumes.ts";
import { definitions, GenericMachine, infrastructureRef } from "../../../local/cluster-api/kinds.ts";
import { startMachines } from "../../../local/cluster-api/start-machines.ts";
import type { ControllerTools } from "../../../local/controllers/controller.ts";
import { CustomResourceDefinition } from "../../../local/controllers/objects/kinds.ts";
import { createLinstor, type LinstorStandIn } from "../../../local/linstor/linstor.ts";
import { startAffinityController } from "../../../local/piraeus/start-affinity-controller.ts";
import { startVolumeUsers, type VolumeUsers } from "../../../local/piraeus/start-volume-users.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { type Kind, Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { SystemRequest, SystemResponse, SystemTransport } from "../../../shared/system/transport.ts";
import { pick } from "../../harness/faults/api.ts";
import { persistentVolume, reachedFrom } from "../../harness/manifest.ts";
import { shop } from "../../harness/simulated/namespace.ts";
import type { Occurrence, SimulatedSystem, SimulatedSystemContext } from "../../harness/simulated/simulated-system.ts";
import { callFaults } from "./call-faults.ts";

/** A resource as LINSTOR lists it, as far as invariants look. */
export interface Listed {
  readonly name: string;
  readonly node: string;
  readonly diskless: boolean;
  /** UpToDate on a node that is ONLINE. */
  readonly good: boolean;
  /** LINSTOR knows that it is not UpToDate; of a node that is not ONLINE it knows nothing. */
  readonly stale: boolean;
}

/** What is asked of LINSTOR, with what it lists at that moment. */
export interface InLinstor extends Occurrence {
  readonly kind: "evacuate" | "restore" | "delete" | "lost" | "ends";
  readonly node: string;
  readonly resources: readonly Listed[];
  /** Whether the node has a part of a snapshot. */
  readonly hasSnapshot: boolean;
  /** Evacuate calls of functions for the node that it is at work on, or is yet to begin with, this one among them. */
  readonly atOnce: number;
}

/** LINSTOR with its satellites, and what a cluster with Piraeus and Cluster API has around it. */
export interface SimulatedLinstor extends SimulatedSystem {
  readonly standIn: LinstorStandIn;
  readonly volumes: Set<string>;
  /**
   * Volumes that no check can hold functions to any more: a person has made the last good copy stale, or the network
   * has doubled the call that moves it.
   */
  readonly forfeited: Set<string>;
  /** A volume with copies in LINSTOR; `bound` to the first node, and used there where that is said. */
  addVolume(client: Client, name: string, copies: readonly string[], more?: VolumeOptions): Promise<void>;
  /** Adds the nodes of the LINSTOR that is apart, and Nodes for them. */
  addApart(client: Client): Promise<void>;
  stop(node: string): void;
  start(node: string): void;
  /** Ends the Machine controller: until it starts again its webhook refuses every change of a Machine by functions. */
  stopManager(): void;
  startManager(): void;
}

export interface VolumeOptions {
  readonly used?: boolean;
  readonly bound?: boolean;
  readonly localOnly?: boolean;
}

export const nodes = ["node-1", "node-2", "node-3", "node-4"] as const;
/** Nodes of the LINSTOR of the same cluster that is apart, where a scenario has one. */
const nodesApart: readonly string[] = ["node-5", "node-6"];
/** Where that one is, as `spec.externalController.url` of a LinstorCluster says. */
export const apartAt = "http://apart.linstor:3370";
/** What lets functions ask it, and the other one: both are without TLS. */
export const apartSettings = { LINSTOR_HOSTS: "apart.linstor", LINSTOR_ALLOW_HTTP: "in-cluster" } as const;
const addressOf = (node: string) => `10.0.0.${node.at(-1)}`;

/** Makes an object of a kind; namespaced ones in the namespace of the runs. */
export const made = (kind: Kind, object: { metadata: object; [field: string]: unknown }) =>
  ({
    ...object,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { ...object.metadata, ...(kind.namespaced ? { namespace: shop } : {}) },
  }) as unknown as KubernetesObject;

/** Makes the LINSTOR of a run, with four nodes, and Kubernetes Nodes for them. */
export function simulatedLinstor({
  clock,
  streams,
  trace,
  schedule,
  faults: hasFaults,
  everyCall,
  occur,
}: SimulatedSystemContext): SimulatedLinstor {
  const own = createLinstor({ clock, random: streams("linstor"), syncTime: 12_000 });
  const apart = createLinstor({ clock, random: streams("linstor apart"), syncTime: 12_000 });
  const of = (node = "") => (nodesApart.includes(node) ? apart : own);
  const standIn: LinstorStandIn = {
    ...own,
    nodes: () => [...own.nodes(), ...apart.nodes()],
    hasSnapshot: (node) => of(node).hasSnapshot(node),
    hasCopy: (name, node) => of(node).hasCopy(name, node),
    goodCopies: (name) => [...own.goodCopies(name), ...apart.goodCopies(name)],
  };
  const stopped = new Set<string>();
  const volumes = new Set<string>();
  const forfeited = new Set<string>();
  const inFlight = new Map<string, number>();
  const rate = hasFaults ? pick(streams("rate of linstor"), [0, 0.03, 0.1]) : 0;
  const callRate = hasFaults ? pick(streams("rate of calls"), [0, 0.5, 1]) : 0;
  let users: VolumeUsers | undefined;
  let tools: ControllerTools | undefined;
  let manager = new AbortController();
  let count = 0;

  const plainly = async (to: LinstorStandIn, method: SystemRequest["method"], path: string, body?: object) => {
    const content = body ? { body: JSON.stringify(body) } : {};
    return to.transport({ method, path, headers: {}, ...content });
  };

  async function resources(to: LinstorStandIn): Promise<readonly Listed[]> {
    const [views, listed] = await Promise.all([
      plainly(to, "GET", "/v1/view/resources"),
      plainly(to, "GET", "/v1/nodes"),
    ]);
    const online = new Set(
      (parseJson(listed.body) as { name: string; connection_status: string }[])
        .filter(({ connection_status }) => connection_status === "ONLINE")
        .map(({ name }) => name),
    );
    type View = {
      name: string;
      node_name: string;
      flags?: string[];
      volumes?: { state?: { disk_state?: string } }[];
    };
    return (parseJson(views.body) as View[]).map(({ name, node_name: node, flags = [], volumes = [] }) => {
      const diskless = flags.includes("DISKLESS");
      const isUpToDate = volumes.length > 0 && volumes.every(({ state }) => state?.disk_state === "UpToDate");
      const good = online.has(node) && !flags.includes("DELETE") && !diskless && isUpToDate;
      return { name, node, diskless, good, stale: online.has(node) && !diskless && !isUpToDate };
    });
  }

  /** What invariants look at: commands, at the moment at which a function has sent them. */
  async function observed(to: LinstorStandIn, request: SystemRequest, index: number): Promise<SystemResponse> {
    const { method, path } = request;
    const [, node = "", verb] = /^\/v1\/nodes\/([^/]+)(?:\/([a-z]+))?$/.exec(path) ?? [];
    const kind = commandOf(method, verb);
    if (!node || !kind) return to.transport(request);
    const atOnce = (inFlight.get(node) ?? 0) + (kind === "evacuate" ? 1 : 0);
    if (kind === "evacuate") inFlight.set(node, atOnce);
    // A controller that is down is asked nothing.
    const listed = await resources(to).catch(() => undefined);
    const hasSnapshot = standIn.hasSnapshot(node);
    const asked = { what: `is asked to ${kind} ${node}`, kind, node, resources: listed, hasSnapshot, atOnce };
    if (listed) occur(asked as InLinstor);
    if (kind === "evacuate") return evacuated(to, node, request, index);
    try {
      return await to.transport(request);
    } finally {
      ends(kind, node);
    }
  }

  function ends(kind: string, node: string): void {
    const what = `is through with ${kind} of ${node}`;
    occur({ what, kind: "ends", node, resources: [], hasSnapshot: standIn.hasSnapshot(node), atOnce: 0 } as InLinstor);
  }

  /** A call to evacuate, with what becomes of it on its way; it is in flight until LINSTOR is through with it. */
  async function evacuated(
    to: LinstorStandIn,
    node: string,
    request: SystemRequest,
    index: number,
  ): Promise<SystemResponse> {
    const drawn = schedule.draw(`call ${index} to LINSTOR`, (random) => {
      if (everyCall !== undefined) return { fault: everyCall, random };
      return random.next() < callRate ? { fault: pick(random, Object.keys(callFaults)), random } : undefined;
    });
    let sent = 0;
    const send = async () => {
      const isDuplicate = sent++ > 0;
      if (isDuplicate) {
        if (schedule.ended) throw new Error("The network sends nothing twice any more.");
        trace.add("network", `sends the call to evacuate ${node} again`);
        // LINSTOR may delete a last copy for two calls at once; functions have sent one, and cannot prevent the other.
        for (const volume of volumes)
          if (standIn.goodCopies(volume).every((one) => one === node)) forfeited.add(volume);
      }
      try {
        return await to.transport(request);
      } finally {
        if (!isDuplicate) inFlight.set(node, (inFlight.get(node) ?? 1) - 1);
        ends("evacuate", node);
      }
    };
    if (!drawn) return send();
    trace.add("network", `call to evacuate ${node}: ${drawn.fault}`);
    const callFault = callFaults[drawn.fault] as (typeof callFaults)[string];
    return callFault({ clock, random: drawn.random, send, deployIn: (time) => to.setDeployTime(time) });
  }

  async function register(node: string): Promise<void> {
    stopped.delete(node);
    of(node).startSatellite(addressOf(node));
    const address = { address: addressOf(node), satellite_port: 3366, satellite_encryption_type: "Plain" };
    const props = { "StorDriver/StorPoolName": "/srv/pool" };
    await plainly(of(node), "POST", "/v1/nodes", {
      name: node,
      type: "Satellite",
      net_interfaces: [{ name: "default", ...address }],
      props: { "Aux/piraeus.io/managed-by": "simulation" },
    });
    const pool = { storage_pool_name: "pool1", provider_kind: "FILE_THIN", props };
    await plainly(of(node), "POST", `/v1/nodes/${node}/storage-pools`, pool);
  }

  async function addNode(client: Client, node: string): Promise<void> {
    await register(node);
    const metadata = {
      name: node,
      labels: { "linbit.com/hostname": node, storage: nodesApart.includes(node) ? "apart" : "yes" },
    };
    await client.create(Node, made(Node, { metadata, spec: { providerID: `generic:///${node}` } }));
  }

  const runManager = (given: ControllerTools) =>
    startMachines({ ...given, signal: AbortSignal.any([given.signal, manager.signal]) }).synced;

  const through =
    (to: LinstorStandIn): SystemTransport =>
    async (request) => {
      const index = ++count;
      const fault = schedule.draw(`answer ${index} of LINSTOR`, (random) =>
        random.next() < rate ? pick(random, Object.keys(faults)) : undefined,
      );
      const answer = await observed(to, request, index);
      if (fault === "slow") await clock.sleep(45_000);
      return (fault === undefined ? undefined : faults[fault]) ?? answer;
    };

  return {
    system: linstorSystem,
    settings: apartSettings,
    credential: async () => undefined,
    standIn,
    volumes,
    forfeited,

    transport: through(own),
    transportTo: (root) =>
      root === apartAt ? through(apart) : () => Promise.reject(new Error("connect ECONNREFUSED")),

    async addApart(client) {
      for (const node of nodesApart) await addNode(client, node);
    },

    refuses: ({ method, path }) => manager.signal.aborted && method !== "GET" && /\/machines\//.test(path),

    async join(given) {
      tools = given;
      const { client } = tools;
      for (const definition of definitions)
        await client.create(CustomResourceDefinition, definition as unknown as KubernetesObject);
      await client.create(Cluster, made(Cluster, { metadata: { name: "test" }, spec: {} }));
      for (const node of nodes) await addNode(client, node);
      users = startVolumeUsers(tools, own);
      startAffinityController(tools);
      // A satellite that is created again is registered again, which needs a pod of it.
      tools.reflections.of(LinstorSatellite).on((change, { metadata: { name, deletionTimestamp } }) => {
        if (change === "add" && !deletionTimestamp && !standIn.nodes().includes(name)) register(name).catch(() => {});
      });
      await runManager(tools);
    },

    stopManager: () => manager.abort(),
    startManager() {
      if (!manager.signal.aborted || !tools) return;
      manager = new AbortController();
      void runManager(tools);
    },

    async addVolume(client, name, copies, { used, bound, localOnly } = {}) {
      of(copies[0]).addVolume(name, { copies });
      volumes.add(name);
      const volumeAttributes = {
        "linstor.csi.linbit.com/uses-volume-context": "true",
        "linstor.csi.linbit.com/remote-access-policy": String(!localOnly),
      };
      const spec = {
        claimRef: { namespace: shop, name },
        csi: { driver: csiDriver, volumeHandle: name, volumeAttributes },
        ...(bound ? { nodeAffinity: reachedFrom([copies[0]], "linbit.com/hostname") } : {}),
      };
      await client.create(PersistentVolume, persistentVolume({ name }, spec));
      if (used) await users?.attach(name, copies[0] as string);
    },

    stop(node) {
      stopped.add(node);
      of(node).stopSatellite(addressOf(node));
    },
    start(node) {
      if (stopped.delete(node)) of(node).startSatellite(addressOf(node));
    },
    restore() {
      for (const node of [...stopped]) this.start(node);
      this.startManager();
    },
    isIdle: () => [...inFlight.values()].every((calls) => calls === 0),
  };
}

function commandOf(method: string, verb: string | undefined): InLinstor["kind"] | undefined {
  if (method === "PUT" && (verb === "evacuate" || verb === "restore")) return verb;
  if (method === "DELETE") return verb === "lost" ? "lost" : verb === undefined ? "delete" : undefined;
  return undefined;
}

const error = { ret_code: "RET_CODE", message: "Something went wrong." };
/** -4611686018427386906, in full. */
const entry = JSON.stringify(error).replace('"RET_CODE"', "-4611686018427386906");
const json = { "content-type": "application/json" };

/** What LINSTOR may answer instead of what it has done; `undefined` is the answer itself, late. */
const faults: Readonly<Record<string, SystemResponse | undefined>> = {
  slow: undefined,
  "500 with an array": { status: 500, headers: json, body: `[${entry}]` },
  "500 with an object": { status: 500, headers: json, body: entry },
  "a page": { status: 200, headers: { "content-type": "text/html" }, body: "<html>Welcome</html>" },
};

/** An infrastructure object and a Machine for a node. */
export async function addMachine(client: Client, name: string, node: string, labels: object = {}): Promise<void> {
  await client.create(GenericMachine, made(GenericMachine, { metadata: { name }, spec: {} }));
  const spec = { clusterName: "test", providerID: `generic:///${node}`, infrastructureRef: infrastructureRef(name) };
  await client.create(Machine, made(Machine, { metadata: { name, labels }, spec }));
}
