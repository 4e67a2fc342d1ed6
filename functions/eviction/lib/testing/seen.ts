import type { Looked } from "../../../../shared/chain/facts.ts";
import type { Decision } from "../../../../shared/decision.ts";
import type { Hint } from "../../../../shared/event/hint.ts";
import type { Kind } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import type { Write } from "../../../../shared/kubernetes/write.ts";
import type { PodObject } from "../agent-pod.ts";
import { type ComputeNode, readRecord, replaceRecord } from "../compute-node.ts";
import { whyUnmanaged } from "../dependent.ts";
import { type EvictionFacts, factsOf } from "../eviction.ts";
import { NovaComputeNode } from "../kinds.ts";
import { recordKey } from "../names.ts";
import { maintenanceLabel } from "../node-lock.ts";
import type { ComputeService, Migration, Server } from "../openstack/nova.ts";
import type { OutageFacts } from "../outage.ts";
import type { HostFacts } from "../plan.ts";
import type { DependentObject } from "../schema.ts";
import { common } from "../settings.ts";

export const now = Date.parse("2026-01-01T12:00:00Z");

interface ComputeOptions extends Partial<Omit<ComputeNode, "object">> {
  readonly metadata?: Partial<KubernetesObject["metadata"]>;
  readonly spec?: Partial<DependentObject["spec"]>;
  readonly status?: NonNullable<DependentObject["status"]>;
}

/** A NovaComputeNode as a rule has found it: approved, on a Node without label or locks, without a pod. */
export function aCompute({ metadata = {}, spec = {}, status, ...seen }: ComputeOptions = {}): ComputeNode {
  const { apiVersion, kind } = NovaComputeNode;
  const meta = { name: "node-a", namespace: "yaook", uid: "u1", resourceVersion: "9", ...metadata };
  const template = { spec: { containers: [{ name: "nova-compute" }] } };
  const object: DependentObject = {
    apiVersion,
    kind,
    metadata: meta,
    spec: { template, ...spec },
    ...(status ? { status } : {}),
  };
  const record = readRecord(object);
  const unmanaged = whyUnmanaged(object);
  return {
    object,
    node: aNode(undefined),
    pods: [],
    inTheWay: undefined,
    record,
    wanted: "stay",
    isApproved: true,
    unmanaged,
    ...seen,
  };
}

export function aNode(label: string | undefined, ...locks: readonly string[]): KubernetesObject {
  const annotations = Object.fromEntries(locks.map((name) => [`l2-lock.maintenance.yaook.cloud/${name}`, ""]));
  const labels: Record<string, string> = label === undefined ? {} : { [maintenanceLabel]: label };
  const metadata = { name: "node-a", uid: "n1", resourceVersion: "7", labels, annotations };
  return { apiVersion: "v1", kind: "Node", metadata };
}

export function aPod(isReady = true, metadata: Partial<KubernetesObject["metadata"]> = {}): PodObject {
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
  const meta = { name: "novacomputenode-node-a", namespace: "yaook", uid: "p1", resourceVersion: "5", ...metadata };
  return { apiVersion: "v1", kind: "Pod", metadata: meta, status: { phase: "Running", conditions } };
}

export function aHint(kind: Kind, object: KubernetesObject): Hint {
  const { namespace, name } = object.metadata;
  const about = { apiVersion: kind.apiVersion, kind: kind.kind, name, ...(namespace ? { namespace } : {}) };
  return { id: "e", change: "update", ...about, object };
}

/** nova-compute of the host: disabled by Holdfast, and up. */
export const aService = (more: Partial<ComputeService> = {}): ComputeService => ({
  id: "c1",
  binary: "nova-compute",
  host: "node-a",
  isEnabled: false,
  disabledReason: "Holdfast evicts NovaComputeNode yaook/node-a (u1)",
  state: "up",
  isForcedDown: false,
  reported: now,
  ...more,
});

/** What Nova has of an empty host. */
export const aHost = (more: Partial<HostFacts> = {}): HostFacts => ({
  ...{ object: aCompute().object, service: aService() },
  ...{ servers: [], migrations: [], arrivals: [], silent: [], failures: {}, at: now },
  ...more,
});

export const aServer = (more: Partial<Server> = {}): Server => ({
  ...{ id: "s1", name: "", status: "ACTIVE", task: undefined, host: "node-a", fault: undefined, updated: now },
  hasLocalDisk: false,
  ...more,
});

export const aMove = (more: Partial<Migration> = {}): Migration => ({
  ...{ id: 11, server: "s1", type: "migration", status: "finished", source: "node-a", target: "node-b", updated: now },
  ...more,
});

/** The record of an eviction that began after migration 10. */
export const aRecord = (more: object = {}): Record<string, string> => ({
  [recordKey]: JSON.stringify({ v: 1, uid: "u1", begun: "2026-01-01T11:00:00.000Z", baseline: 10, ...more }),
});

/** A compute node that is to leave, with what Nova has of its host. */
export function aLeaving(
  host: HostFacts,
  compute: ComputeOptions = {},
  outage?: OutageFacts,
): Looked<ComputeNode, EvictionFacts> {
  const seen = aCompute({ wanted: "go", ...compute });
  return { ...seen, facts: factsOf(seen, host, outage, common.parse({})) };
}

/** The changes that a decision's call makes of nova-compute where Nova has it so just before the call. */
export async function changesOf(decision: Decision | undefined, live: ComputeService | undefined) {
  const made: string[] = [];
  const change = (what: string) => async (id: string, reason?: string) => void made.push([what, id, reason].join(" "));
  const changes = ["disable", "enable", "forceDown", "endForcedDown"].map((what) => [what, change(what)] as const);
  const nova = { service: async () => live, ...Object.fromEntries(changes) };
  if (decision?.do === "call") await decision.command.send({ nova }, decision.command.input);
  return made.map((one) => one.trim());
}

/** The write that makes the record what it was, if it still says what the first write of a decision has noted. */
export function takesBack(decision: Decision | undefined): Write | undefined {
  const [noted] = (decision?.do === "call" && decision.writes) || [];
  const record = decision && readRecord(decision.about);
  if (!record || noted?.verb !== "patch") return undefined;
  const { metadata } = noted.patch as KubernetesObject;
  return replaceRecord({ object: decision.about as DependentObject }, metadata.annotations?.[recordKey] ?? "", record);
}
