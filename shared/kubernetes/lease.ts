import { isFarAhead } from "../clock.ts";
import type { Kind } from "./kind.ts";
import { notBeforeWritten } from "./last-written.ts";
import type { KubernetesObject } from "./object.ts";
import { microTimestamp } from "./timestamp.ts";
import type { Write } from "./write.ts";

export const Lease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
} as const satisfies Kind;

/** As much of a Lease as says whose it is, and until when. */
export interface LeaseObject extends KubernetesObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
}

const secondsUnsaid = 86_400;

/**
 * Until when the Lease is held, in milliseconds since the epoch; `undefined` when it is free. One that cannot be
 * read counts as held for a day after it was last written, as far as that is known, else for ever: its holder may
 * be at work.
 */
export function heldUntil(lease: LeaseObject | undefined, now: number): number | undefined {
  const { holderIdentity, renewTime, leaseDurationSeconds } = lease?.spec ?? {};
  if (!lease || !holderIdentity) return undefined;
  const renewed = Date.parse(renewTime ?? "");
  const seconds = leaseDurationSeconds ?? secondsUnsaid;
  const at = notBeforeWritten(lease, now);
  const end = Number.isNaN(renewed)
    ? Number.POSITIVE_INFINITY
    : (isFarAhead(renewed, at) ? at : renewed) + seconds * 1000;
  return end > now ? end : undefined;
}

/** Who takes a Lease, and for how long. */
export interface Claimant {
  readonly namespace: string;
  readonly name: string;
  /** For people: who is at work. */
  readonly holder: string;
  readonly seconds: number;
  /** To be changed with it. */
  readonly annotations?: Readonly<Record<string, string | null>>;
}

/**
 * The write that takes a Lease which was seen to be free. Of two that try at once one gets it: the other's is a
 * conflict, and calls for another look. Its holder has it for the whole time, alone; there is nothing to
 * compare.
 */
export function takeLease(seen: LeaseObject | undefined, claimant: Claimant, now: number): Write {
  const { namespace, name, holder, seconds, annotations } = claimant;
  const noted = annotations ? { annotations } : {};
  const time = microTimestamp(now);
  const spec = { holderIdentity: holder, acquireTime: time, renewTime: time, leaseDurationSeconds: seconds };
  if (!seen) {
    const metadata = { namespace, name, ...noted } as LeaseObject["metadata"];
    return { verb: "create", kind: Lease, object: { apiVersion: Lease.apiVersion, kind: Lease.kind, metadata, spec } };
  }
  const { uid, resourceVersion } = seen.metadata;
  const patch = { metadata: { uid, resourceVersion, ...noted }, spec };
  return { verb: "patch", kind: Lease, namespace, name, type: "merge", patch };
}

/** To be written while a Lease is waited for: one whose time is far ahead is else waited for without end. */
export function dateLease(seen: LeaseObject | undefined, now: number): readonly Write[] {
  if (!seen) return [];
  const {
    holderIdentity: holder = "",
    renewTime = "",
    leaseDurationSeconds: seconds = secondsUnsaid,
  } = seen.spec ?? {};
  const at = notBeforeWritten(seen, now);
  if (!isFarAhead(Date.parse(renewTime), at)) return [];
  const { namespace = "", name } = seen.metadata;
  return [takeLease(seen, { namespace, name, holder, seconds }, at)];
}

/**
 * The write that gives a Lease back before its time, because the work is proven to be over. Guarded by what was
 * seen.
 */
export function releaseLease({ metadata: { uid, resourceVersion, namespace, name } }: LeaseObject): Write {
  const patch = { metadata: { uid, resourceVersion }, spec: { holderIdentity: "" } };
  return { verb: "patch", kind: Lease, namespace, name, type: "merge", patch };
}
