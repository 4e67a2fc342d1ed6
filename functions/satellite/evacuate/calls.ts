import { z } from "zod";
import { takesEffectWithinMs } from "../../../shared/chain/call-in-flight.ts";
import { isFarAhead } from "../../../shared/clock.ts";
import { notBeforeWritten } from "../../../shared/kubernetes/last-written.ts";
import {
  type Claimant,
  dateLease,
  heldUntil,
  Lease,
  type LeaseObject,
  releaseLease,
} from "../../../shared/kubernetes/lease.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readAnnotation } from "../../../shared/kubernetes/read-annotation.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import type { LinstorNode } from "../lib/linstor/objects.ts";

/** Annotations of the Lease, one for each call that a LINSTOR may be carrying out: this, and the satellite's uid. */
const prefix = "evacuate.holdfast.dev/";

/** The annotations of the Lease that note calls. */
export const callKeys = `${prefix}*`;

/** Who has the Lease by its spec: functions of a release without the annotations wait until no call is under way. */
const inAnnotations = "see the annotations";

const schema = z.looseObject({
  holder: z.string(),
  called: z.iso.datetime(),
  /** The address by which LINSTOR was called, as the LinstorCluster has it; empty for LINSTOR_URL. */
  at: z.string(),
  /** What that LINSTOR knows the node by. No other LINSTOR has it. */
  node: z.string().optional(),
  /** When the evacuation began that called, as its record has it. */
  begun: z.string().optional(),
});

/** A call to evacuate a node, which LINSTOR may be carrying out. */
export interface NotedCall {
  /** For people: whose node it is. */
  readonly holder: string;
  /** Milliseconds since the epoch. */
  readonly called: number;
  readonly at?: string | undefined;
  readonly node?: string | undefined;
  readonly begun?: string | undefined;
  /** The annotation that notes it; `undefined` where a function noted it that knows of the Lease's spec alone. */
  readonly key: string | undefined;
  /** Until when at most; milliseconds since the epoch. */
  readonly end: number;
}

/** LINSTOR goes on with a call whose caller is gone: how long at most, unless it answers. Seconds. */
export const leaseSeconds = takesEffectWithinMs / 1000;

/** The calls that the Lease notes, and that may still take effect at `now`. */
export function callsInFlight(lease: LeaseObject | undefined, now: number): readonly NotedCall[] {
  if (!lease) return [];
  const noted = notedIn(lease).map((key) => readCall(lease, key, now));
  const { holderIdentity: holder = "", renewTime = "" } = lease.spec ?? {};
  const end = heldUntil(lease, now);
  const former =
    end === undefined || holder === inAnnotations
      ? []
      : [{ key: undefined, holder, called: Date.parse(renewTime), end }];
  return [...noted, ...former].filter((call) => call.end > now);
}

const notedIn = ({ metadata: { annotations = {} } }: LeaseObject) =>
  Object.keys(annotations).filter((key) => key.startsWith(prefix));

/** What cannot be read may be a call that has just begun, in any LINSTOR. */
function readCall(lease: LeaseObject, key: string, now: number): NotedCall {
  const data = readAnnotation(lease, key, schema);
  if (!data) return { key, holder: `the call in annotation ${key}`, called: Number.NaN, end: Number.POSITIVE_INFINITY };
  const [called, at] = [Date.parse(data.called), notBeforeWritten(lease, now)];
  return { ...data, key, called, end: (isFarAhead(called, at) ? at : called) + takesEffectWithinMs };
}

/**
 * What is to be written while a call is waited for whose time is far ahead: it counts as made now. Else it would be
 * waited for until then.
 */
export function dateCall(lease: LeaseObject, { key, called }: NotedCall, now: number): readonly Write[] {
  if (key === undefined) return dateLease(lease, now);
  const { namespace = "", name, annotations = {} } = lease.metadata;
  const [text, at] = [annotations[key], notBeforeWritten(lease, now)];
  if (!text || !isFarAhead(called, at)) return [];
  const dated = JSON.stringify({ ...JSON.parse(text), called: new Date(at).toISOString() });
  return [replaceCall({ namespace, name }, key, text, dated)];
}

/**
 * Whether a call is under way in another LINSTOR than the one at `at`, which lists these nodes. Two addresses may lead
 * to one LINSTOR, so that only the node says it: the LINSTOR that was called knows it, and this one does not.
 */
export const isElsewhere = (call: NotedCall, at: string | undefined, nodes: readonly LinstorNode[]): boolean =>
  call.at !== undefined &&
  call.at !== (at ?? "") &&
  call.node !== undefined &&
  nodes.every(({ uuid }) => uuid !== undefined && uuid !== call.node);

/** What takes the Lease for a call that begins `now`, and what gives it back. Calls that have ended are forgotten. */
export function noteCall(
  lease: LeaseObject | undefined,
  { metadata: { uid } }: KubernetesObject,
  { namespace, name, holder }: Pick<Claimant, "namespace" | "name" | "holder">,
  { at = "", node, begun }: Pick<NotedCall, "at" | "node" | "begun">,
  now: number,
) {
  const key = `${prefix}${uid}`;
  // Two runs that take the Lease in one millisecond take it in two versions: each takes back its own note alone.
  const onto = lease?.metadata.resourceVersion;
  const text = JSON.stringify({ holder, called: new Date(now).toISOString(), at, node, begun, onto });
  const lasting = callsInFlight(lease, now).map((call) => call.key);
  const ended = (lease ? notedIn(lease) : []).filter((one) => !lasting.includes(one));
  const annotations = { ...Object.fromEntries(ended.map((one) => [one, null])), [key]: text };
  const claimant = { namespace, name, holder: inAnnotations, seconds: leaseSeconds, annotations };
  // A call of another run may stand on the note that was there: it comes back with its own time, and is not prolonged.
  const former = lasting.includes(key) ? lease?.metadata.annotations?.[key] : undefined;
  const unsent = lasting.includes(undefined) ? undefined : replaceCall({ namespace, name }, key, text, former);
  return { claimant, answered: replaceCall({ namespace, name }, key, text), unsent };
}

/** The write that gives the Lease back after a call; refused where it is noted no more, or another one is. */
function replaceCall(lease: Record<"namespace" | "name", string>, key: string, text: string, to?: string): Write {
  const path = `/metadata/annotations/${key.replace("/", "~1")}`;
  const change = to === undefined ? { op: "remove", path } : { op: "replace", path, value: to };
  const patch = [{ op: "test", path, value: text }, change];
  return { verb: "patch", kind: Lease, ...lease, type: "json", patch };
}

/** The write that gives the Lease back for a call that was seen on it. */
export function endCall(lease: LeaseObject, { key }: NotedCall): Write {
  const { namespace = "", name, annotations = {} } = lease.metadata;
  return key === undefined ? releaseLease(lease) : replaceCall({ namespace, name }, key, annotations[key] ?? "");
}
