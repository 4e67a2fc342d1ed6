import { LinstorSatellite, LinstorSatelliteConfiguration, Machine } from "../../functions/satellite/lib/kinds.ts";
import { preDrainHook, preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import type { LinstorSatelliteObject } from "../../functions/satellite/lib/satellite.ts";
import { marksOn } from "../../functions/satellite/lib/volumes.ts";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { type Kind, Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { SatelliteHarness } from "./harness.ts";

/** Metadata of a Machine of the control plane. */
export const controlPlane = { labels: { "cluster.x-k8s.io/control-plane": "" } };

/** What an administrator does, and looks at, in most scenarios. */
export interface Administrator {
  /** Creates a configuration that is for this Node alone, and comes after the others. */
  configureOnly(node: string, spec: object): Promise<unknown>;
  /** The same with a policy; resolves when the satellite has it. */
  setPolicy(node: string, deletionPolicy: string): Promise<void>;
  taint(node: string, effect: string): Promise<unknown>;
  untaint(node: string): Promise<unknown>;
  /** Cordons a Node, so that pods leave it, or takes that back. */
  cordon(node: string, unschedulable?: boolean): Promise<unknown>;
  gone(kind: Kind, name: string): Promise<void>;
  /** Waits until the Node has a LinstorSatellite of another uid. */
  replaced(node: string): Promise<void>;
  /** Waits until a condition's message matches. */
  says(node: string, type: string, message: RegExp): Promise<void>;
  /** Waits until a condition has this status or this reason. */
  is(node: string, type: string, statusOrReason: string): Promise<void>;
  /** An annotation of the Node's LinstorSatellite. */
  annotation(node: string, key: string): Promise<string | undefined>;
  /** Waits until the Machine carries both hooks. */
  hooked(machine: string): Promise<void>;
  /** Creates the Machine `worker` for the Node, which gets both hooks, and one of the control plane. */
  hookedMachine(node: string): Promise<void>;
  /** Which of our hooks a Machine carries. */
  hooksOn(machine: string): Promise<readonly string[]>;
  /** The annotations of the Node's evacuation on a PersistentVolume. */
  marks(volume: string, node: string): Promise<readonly string[]>;
  /** Sends LINSTOR a request of one's own, and waits for the answer. */
  ask(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    body?: object,
  ): Promise<{ status: number; body: string }>;
  isListed(node: string): Promise<boolean>;
  /** A node as LINSTOR lists it. */
  linstorNode(node: string): Promise<{ uuid: string; flags?: string[]; connection_status: string }>;
}

/** An administrator of this harness. */
export function administratorOf(harness: SatelliteHarness): Administrator {
  const admin: Administrator = {
    configureOnly(node, config) {
      const nodeSelectorTerms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }];
      const spec = { nodeAffinity: { nodeSelectorTerms }, ...config };
      return harness.create(LinstorSatelliteConfiguration, { metadata: { name: `only-${node}` }, spec });
    },
    async setPolicy(node, deletionPolicy) {
      await admin.configureOnly(node, { deletionPolicy });
      await harness.until(`${node} has the policy ${deletionPolicy}`, async () => {
        const satellite = await harness.get<LinstorSatelliteObject>(LinstorSatellite, node);
        return !satellite || satellite.spec?.deletionPolicy === deletionPolicy;
      });
    },
    taint: (node, effect) => harness.merge(Node, node, { spec: { taints: [{ key: "test", value: "yes", effect }] } }),
    untaint: (node) => harness.merge(Node, node, { spec: { taints: null } }),
    cordon: (node, unschedulable = true) => harness.merge(Node, node, { spec: { unschedulable } }),
    gone: (kind, name) => harness.until(`${kind.kind} ${name} is gone`, async () => !(await harness.get(kind, name))),
    async replaced(node) {
      const uid = (await harness.get(LinstorSatellite, node))?.metadata.uid;
      await harness.until(`${node} has another LinstorSatellite`, async () => {
        const live = await harness.get(LinstorSatellite, node);
        return live && live.metadata.uid !== uid;
      });
    },
    says: (node, type, message) =>
      harness.until(`${type} of ${node} says ${message}`, async () =>
        message.test((await harness.condition(node, type))?.message ?? ""),
      ),
    is: (node, type, statusOrReason) =>
      harness.until(`${type} of ${node} is ${statusOrReason}`, async () => {
        const { status, reason } = (await harness.condition(node, type)) ?? {};
        return [status, reason].includes(statusOrReason);
      }),
    annotation: async (node, key) => (await harness.get(LinstorSatellite, node))?.metadata.annotations?.[key],
    hooked: (machine) =>
      harness.until(`${machine} waits for us`, async () => (await admin.hooksOn(machine)).length === 2),
    async hookedMachine(node) {
      await harness.machine("control", "node-4", controlPlane);
      await harness.machine("worker", node);
      await admin.hooked("worker");
    },
    async hooksOn(machine) {
      const { annotations = {} } = (await harness.get(Machine, machine))?.metadata ?? {};
      return [preDrainHook, preTerminateHook].filter((hook) => hook in annotations);
    },
    marks: async (volume, node) => marksOn((await harness.get(PersistentVolume, volume))?.metadata.annotations, node),
    ask(method, path, body) {
      const content = method === "PUT" || body ? { body: JSON.stringify(body ?? {}) } : {};
      return outcomeOf(harness.clock, harness.linstor.transport({ method, path, headers: {}, ...content }), 60_000);
    },
    isListed: async (node) => (await admin.ask("GET", `/v1/nodes/${node}`)).status === 200,
    linstorNode: async (node) => JSON.parse((await admin.ask("GET", `/v1/nodes/${node}`)).body),
  };
  return admin;
}
