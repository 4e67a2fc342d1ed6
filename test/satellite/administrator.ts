import { LinstorSatellite, LinstorSatelliteConfiguration, Machine } from "../../functions/satellite/lib/kinds.ts";
import { marksOn } from "../../functions/satellite/lib/marks.ts";
import { preDrainHook, preTerminateHook } from "../../functions/satellite/lib/names.ts";
import type { LinstorSatelliteObject } from "../../functions/satellite/lib/satellite.ts";
import { outcomeOf } from "../../local/time/outcome-of.ts";
import { type Kind, Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { SatelliteBed } from "./bed.ts";

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
  /** Waits until the Machine carries both hooks. */
  hooked(machine: string): Promise<void>;
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

/** An administrator of this bed. */
export function administratorOf(bed: SatelliteBed): Administrator {
  const admin: Administrator = {
    configureOnly(node, config) {
      const nodeSelectorTerms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }];
      const spec = { nodeAffinity: { nodeSelectorTerms }, ...config };
      return bed.create(LinstorSatelliteConfiguration, { metadata: { name: `only-${node}` }, spec });
    },
    async setPolicy(node, deletionPolicy) {
      await admin.configureOnly(node, { deletionPolicy });
      await bed.until(`${node} has the policy ${deletionPolicy}`, async () => {
        const satellite = await bed.get<LinstorSatelliteObject>(LinstorSatellite, node);
        return !satellite || satellite.spec?.deletionPolicy === deletionPolicy;
      });
    },
    taint: (node, effect) => bed.merge(Node, node, { spec: { taints: [{ key: "test", value: "yes", effect }] } }),
    untaint: (node) => bed.merge(Node, node, { spec: { taints: null } }),
    cordon: (node, unschedulable = true) => bed.merge(Node, node, { spec: { unschedulable } }),
    gone: (kind, name) => bed.until(`${kind.kind} ${name} is gone`, async () => !(await bed.get(kind, name))),
    async replaced(node) {
      const uid = (await bed.get(LinstorSatellite, node))?.metadata.uid;
      await bed.until(`${node} has another LinstorSatellite`, async () => {
        const live = await bed.get(LinstorSatellite, node);
        return live && live.metadata.uid !== uid;
      });
    },
    says: (node, type, message) =>
      bed.until(`${type} of ${node} says ${message}`, async () =>
        message.test((await bed.condition(node, type))?.message ?? ""),
      ),
    hooked: (machine) => bed.until(`${machine} waits for us`, async () => (await admin.hooksOn(machine)).length === 2),
    async hooksOn(machine) {
      const { annotations = {} } = (await bed.get(Machine, machine))?.metadata ?? {};
      return [preDrainHook, preTerminateHook].filter((hook) => hook in annotations);
    },
    marks: async (volume, node) => marksOn((await bed.get(PersistentVolume, volume))?.metadata.annotations, node),
    ask(method, path, body) {
      const content = method === "PUT" || body ? { body: JSON.stringify(body ?? {}) } : {};
      return outcomeOf(bed.clock, bed.linstor.transport({ method, path, headers: {}, ...content }), 60_000);
    },
    isListed: async (node) => (await admin.ask("GET", `/v1/nodes/${node}`)).status === 200,
    linstorNode: async (node) => JSON.parse((await admin.ask("GET", `/v1/nodes/${node}`)).body),
  };
  return admin;
}
