import type { Hint } from "../../../../shared/event/hint.ts";
import type { Kind } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import type { ConfiguredSatellite, ConfiguredSeen } from "../configuration/configured-satellite.ts";
import type { LookedSatellite, ReadyFacts, SatelliteInChain } from "../evacuation-facts.ts";
import { LinstorSatellite, Machine } from "../kinds.ts";
import type { SatelliteOnMachine } from "../look-at-satellite.ts";
import { hooksOn, type MachineSeen, preDrainHook, preTerminateHook } from "../machine.ts";
import { readRecord, recordKey } from "../record.ts";
import { policyOf, satelliteFinalizer } from "../satellite.ts";
import type { VolumeFacts } from "../volumes.ts";
import { aCopy, dataFacts } from "./data.ts";

export const now = Date.parse("2026-01-01T00:00:00Z");
const deletionTimestamp = "2025-12-31T23:00:00Z";

/** node-1's, held by its finalizer. */
export function aSatellite(
  more: { metadata?: object; policy?: string; deleting?: boolean; record?: object | false } = {},
): ConfiguredSatellite {
  const { metadata, policy = "Evacuate", deleting = true, record = {} } = more;
  const text = JSON.stringify({ v: 1, uid: "u1", begun: "2025-12-31T23:00:00Z", ...record });
  return {
    apiVersion: LinstorSatellite.apiVersion,
    kind: LinstorSatellite.kind,
    metadata: {
      name: "node-1",
      uid: "u1",
      resourceVersion: "7",
      generation: 2,
      finalizers: [satelliteFinalizer],
      annotations: record ? { [recordKey]: text } : {},
      ...(deleting ? { deletionTimestamp } : {}),
      ...metadata,
    },
    spec: { clusterRef: {}, deletionPolicy: policy as "Evacuate" },
  };
}

/** A Machine with our hooks, or some of them, and one of another controller. */
export function aMachine(hooks: { drain?: boolean; terminate?: boolean; deleting?: boolean } = {}): MachineSeen {
  const { drain = true, terminate = true, deleting = true } = hooks;
  const annotations = {
    "pre-drain.delete.hook.machine.cluster.x-k8s.io/other": "",
    ...(drain ? { [preDrainHook]: "" } : {}),
    ...(terminate ? { [preTerminateHook]: "" } : {}),
  };
  const metadata = { name: "worker", namespace: "capi", uid: "m1", resourceVersion: "3", annotations };
  return {
    kind: Machine,
    clusterDeleting: false,
    object: {
      apiVersion: Machine.apiVersion,
      kind: Machine.kind,
      metadata: { ...metadata, ...(deleting ? { deletionTimestamp } : {}) },
      status: { nodeRef: { name: "node-1" } },
    },
  };
}

/** As the rules that configure satellites look at it, which is more than the chain does. */
type Seen = SatelliteOnMachine & ConfiguredSeen;

/** A satellite that is not in the chain. */
export function aSeen(more: Partial<Seen> = {}): Seen & LookedSatellite {
  const satellite = more.satellite ?? aSatellite();
  return {
    object: satellite,
    satellite,
    policy: policyOf(satellite.spec),
    cluster: undefined,
    controller: undefined,
    unaddressed: undefined,
    node: undefined,
    identity: more.machine ? { namespace: "capi", name: "worker" } : undefined,
    machine: undefined,
    record: readRecord(satellite),
    leaving: true,
    unmanagedReason: undefined,
    facts: { is: "outside", message: more.unmanagedReason ?? "It is not being evacuated." },
    ...more,
  };
}

/** A satellite whose node has one volume in LINSTOR, and a good copy of it elsewhere. */
export function aLeaving(
  facts: Partial<ReadyFacts> = {},
  more: Partial<Seen> = {},
): Seen & SatelliteInChain & { readonly facts: ReadyFacts } {
  const seen = aSeen(more);
  return { ...seen, facts: readyFacts({ ...facts, begun: seen.record !== undefined }, more.machine) };
}

/** The facts of a satellite whose evacuation has begun. */
export function readyFacts(more: Partial<ReadyFacts> = {}, machine?: MachineSeen): ReadyFacts {
  const { volumes = [] } = more;
  return {
    is: "ready",
    node: "node-1",
    begun: true,
    satellite: { deleting: true, held: true },
    ...(machine ? { machine, hooks: hooksOn(machine) } : {}),
    volumes,
    objects: new Map(volumes.map(({ name }) => [name, aVolume(name)])),
    neighbours: [],
    note: {},
    data: dataFacts([aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-2")]),
    ...more,
  };
}

/** The same where LINSTOR does not know the node. */
export function unlisted({ data: _, ...facts }: ReadyFacts): ReadyFacts {
  return facts;
}

export const aVolume = (name: string, annotations: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name, uid: `uid-of-${name}`, resourceVersion: "5", annotations },
  spec: { csi: { driver: "linstor.csi.linbit.com", volumeHandle: name } },
});

export const volumeFactsOf = (name: string, more: Partial<VolumeFacts> = {}): VolumeFacts => ({
  name,
  here: false,
  elsewhere: false,
  waits: false,
  overridden: false,
  marked: false,
  localOnly: false,
  attachableElsewhere: true,
  leaving: false,
  ...more,
});

/** An event about an object, or about a name alone. */
export function hintOf(kind: Kind, change: Hint["change"], object: KubernetesObject | string): Hint {
  const name = typeof object === "string" ? object : object.metadata.name;
  const shown = typeof object === "string" ? undefined : object;
  return { id: "e1", change, apiVersion: kind.apiVersion, kind: kind.kind, name, object: shown };
}
