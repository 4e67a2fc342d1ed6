import { minute, readDuration } from "../../../shared/duration.ts";
import { conditionOf } from "../../../shared/kubernetes/condition.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { ComputeNode, EvictionRecord } from "./compute-node.ts";
import { annotating, approvalKey, fencedKey } from "./names.ts";
import type { Power } from "./openstack/ironic.ts";
import { type ComputeService, isCompute, type Server } from "./openstack/nova.ts";
import type { OpenStack } from "./openstack/system.ts";
import type { HostFacts } from "./plan.ts";
import type { DependentObject } from "./schema.ts";
import type { Common } from "./settings.ts";

/** What is asked besides of a host whose nova-compute does not report, or was forced down. */
export interface OutageFacts {
  readonly services: readonly ComputeService[];
  /** `undefined` where the spec names no machine, or a person answers for it. */
  readonly power: Power | undefined;
  /** Servers that were evacuated and are yet to be put back to what they were, as they are now. */
  readonly evacuated: readonly Server[];
}

/** A host that may be down. */
export interface Suspected {
  readonly compute: ComputeNode;
  readonly host: HostFacts;
  readonly outage: OutageFacts;
  readonly settings: Common;
}

/** `undefined` while nova-compute reports, and is not forced down. @throws SystemError */
export async function lookAtOutage(
  compute: ComputeNode,
  host: HostFacts,
  { nova, ironic }: OpenStack,
): Promise<OutageFacts | undefined> {
  const { record } = compute;
  const { service, servers } = host;
  if (service.state === "up") return undefined;
  const machine = machineOf(compute);
  const here = new Set(servers.map(({ id }) => id));
  const gone = Object.keys(record?.was ?? {}).filter((id) => !here.has(id));
  const [services, power, evacuated] = await Promise.all([
    nova.services(),
    machine === undefined || isConfirmed({ compute, host }) ? undefined : ironic.power(machine),
    Promise.all(gone.map((id) => nova.server(id))),
  ]);
  return { services, power, evacuated: evacuated.filter((server) => server !== undefined) };
}

/** The machine of the host in Ironic, where the spec says that it may be turned off. */
export const machineOf = ({ object }: ComputeNode): string | undefined => machineIn(object);
export const machineIn = ({ spec }: DependentObject): string | undefined => spec.eviction?.ironicNodeShutdown?.node;

type Down = Pick<Suspected, "compute" | "host">;

/** What a person's word must be: since when this very outage lasts, or what nova-compute has shown of life since. */
const wordFor = (down: Down): string | undefined =>
  hasChanged(down) ? timeText(down.host.service.reported) : down.compute.record?.down?.since;

const isConfirmed = (down: Down): boolean =>
  down.compute.record?.down !== undefined && down.compute.object.metadata.annotations?.[fencedKey] === wordFor(down);

export const timeText = (time: number) => (Number.isNaN(time) ? "never" : new Date(time).toISOString());
/** A nova-compute that was forced down by others reports, and runs. */
const isSilent = ({ service: { state, isForcedDown, reported }, at }: HostFacts) =>
  state === "down" && !(isForcedDown && at - reported < 2 * minute);
const readyOf = (node: KubernetesObject | undefined) => node && conditionOf(node, "Ready");
const isReady = (node: KubernetesObject | undefined) => readyOf(node)?.status === "True";
/** Right before a call that needs the host to be down: its Node may be Ready again since the look. */
export const stillNotReady = ({ object }: Pick<ComputeNode, "object">) => [
  { kind: Node, namespace: undefined, name: object.metadata.name, holds: (live?: KubernetesObject) => !isReady(live) },
];
export const isNotReady = (node: KubernetesObject | undefined) => {
  const ready = readyOf(node);
  return !node || (ready !== undefined && ready.status !== "True");
};

/**
 * Since when both witnesses have called the host down without a break, as it is to be written down: whichever has said
 * otherwise in between begins the time again. `undefined`: one of them does not call it down. Of a host that Holdfast
 * has forced down only its Node counts: when it is Ready, the outage is over that a person has answered for.
 */
export function downOf(down: Down): EvictionRecord["down"] {
  const { node, record } = down.compute;
  const before = record?.down;
  const ready = node ? (readyOf(node)?.lastTransitionTime ?? "") : "gone";
  const reported = timeText(down.host.service.reported);
  const begun = { since: timeText(down.host.at), reported, ready };
  if (isForced(down)) {
    if (isReady(node)) return undefined;
    const isSame = before && (!node || before.ready === ready);
    return isSame || !isNotReady(node) ? before : begun;
  }
  if (!isSilent(down.host) || !isNotReady(node)) return undefined;
  return before?.reported === reported && before.ready === ready ? before : begun;
}

/** What must hold for a host to count as down, each with its verdict. */
export function gatesOf({ compute, host, outage, settings: { evictionDownFor, evictionMostDown } }: Suspected) {
  const { node, object, record } = compute;
  const title = `Node ${object.metadata.name}`;
  const ready = readyOf(node);
  const found = ready
    ? `it has ${ready.status === "True" ? "" : "not "}been Ready since ${ready.lastTransitionTime}`
    : `it ${node ? "does not say whether it is Ready" : "does not exist"}`;
  const down = downOf({ compute, host });
  const isWritten = down !== undefined && down === record?.down;
  const computes = outage.services.filter(isCompute);
  const away = computes.filter(({ state }) => state !== "up").length;
  const scheduler = outage.services.some(({ binary, state }) => binary === "nova-scheduler" && state === "up");
  const { reported, state } = host.service;
  return [
    { holds: isSilent(host), says: `nova-compute must be down (it is ${state}, last report: ${timeText(reported)})` },
    { holds: isNotReady(node), says: `${title} must not be Ready (${found})` },
    {
      holds: isWritten && host.at - Date.parse(down.since) >= (readDuration(evictionDownFor) ?? Infinity),
      says: `both of these must have held for ${evictionDownFor} (${isWritten ? `since ${down.since}` : "not yet"})`,
    },
    { holds: scheduler, says: `a nova-scheduler must be up (${scheduler ? "one" : "none"} is)` },
    {
      holds: away * 100 <= evictionMostDown * computes.length,
      says: `at most ${evictionMostDown} % of nova-computes may be silent (${away} of ${computes.length} are)`,
    },
  ];
}

/** Holdfast has forced its nova-compute down, and Nova holds it there: its servers are evacuated. */
export const isForced = ({ compute, host }: Down): boolean =>
  compute.record?.hard !== undefined && host.service.isForcedDown;

/** Nothing is written down of an outage: until confirm-outage has done so, the host is not taken for down. */
export const isNeverDown = ({ record }: ComputeNode): boolean =>
  record?.down === undefined && record?.hard === undefined;

/** All of it holds. What Holdfast has forced down stays so until it is let back, or its Node was Ready in between. */
export const isProvenDown = (host: Suspected): boolean =>
  isForced(host) ? downOf(host) === host.compute.record?.down : gatesOf(host).every(({ holds }) => holds);

export function verdictsOn(host: Suspected): string {
  const gates = gatesOf(host).map(({ holds, says }) => `${holds ? "met" : "not met"}: ${says}`);
  return `Host ${host.host.service.host} counts as down only if all of this is met. ${gates.join("; ")}.`;
}

/** Its service is not as it was noted: it has reported, or a person has changed it, which Nova shows alike. */
function hasChanged({ compute, host }: Down): boolean {
  const { record } = compute;
  const { reported } = host.service;
  // To force it down was a change, too, whose time is not known before it is noted.
  const forced = record?.forced?.reported ?? timeText(reported);
  return reported > Date.parse(isForced({ compute, host }) ? forced : (record?.down?.reported ?? ""));
}

/** What a host that was found down shows of life, in a sentence: it may write to its servers' disks. */
export function lifeOf(host: Suspected): string | undefined {
  const { service } = host.host;
  const word = host.compute.object.metadata.annotations?.[fencedKey];
  const at = timeText(service.reported);
  const isAnsweredFor = isForced(host) && word === at;
  if (service.state === "up" || (hasChanged(host) && !isAnsweredFor))
    return `At ${at}, nova-compute of ${service.host} reported, or was changed in Nova. Nova does not show which.`;
  return isReady(host.compute.node) ? `Node ${service.host} is Ready.` : undefined;
}

/**
 * It is off for certain: Ironic sees it off, or a person answers for it; and nothing says otherwise. Ironic does not
 * look at each machine by itself: what it shows may be old, unless it has agreed in this outage to turn it off.
 */
export function isFenced(host: Suspected): boolean {
  const { down, accepted = "" } = host.compute.record ?? {};
  if (!down || lifeOf(host) !== undefined) return false;
  const isOfNow = isForced(host) || Date.parse(accepted) >= Date.parse(down.since);
  return isConfirmed(host) || (isOfNow && (host.outage.power?.isOff ?? false));
}

/** What fencing waits for, in sentences. */
export function fencingOf(host: Suspected): string {
  const { object } = host.compute;
  const { name } = object.metadata;
  const power = host.outage.power?.state;
  const machine = machineOf(host.compute);
  const word = annotating(object, `--overwrite ${fencedKey}=${wordFor(host)}`);
  // While the Node is Ready a word is of the time before: it would not count.
  const confirm = !isReady(host.compute.node)
    ? `ower it off, make sure that it stays off, and then run ${word}`
    : "ower it off: Holdfast then says how to confirm that it stays off";
  if (isForced(host))
    return (
      `Holdfast evacuates the servers of ${name} only while it is certain that the host is off. ` +
      `${lifeOf(host) ?? (power ? `Ironic shows it as ${power}.` : "You have not confirmed this outage yet.")} ` +
      `To call the eviction off, run ${annotating(object, `--overwrite ${approvalKey}=false`)}. To go on, p${confirm}`
    );
  if (machine) return `Host ${name} is down. Holdfast has Ironic turn off ${machine}. Ironic shows it as ${power}.`;
  return `Host ${name} is down, and its servers may still run there and write to their disks. P${confirm}`;
}
