import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { annotate } from "../kubernetes/annotate.ts";
import { Lease } from "../kubernetes/lease.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { Write } from "../kubernetes/write.ts";

/** A setting: how many of a group may be out at a time, as a number or a percentage. */
export const maxUnavailable = z
  .string()
  .regex(/^([0-9]{1,6}|([0-9]{1,2}|100)%)$/, "expected a number such as 1, or a percentage such as 10%");

/** Nothing begins by itself: a person has to agree to each. */
export const isNever = (most: string): boolean => /^0+%?$/.test(most);

/** One of a group: a node, or what stands for it. */
export interface Member {
  readonly uid: string;
  readonly name: string;
  /** Those of one group share a budget. */
  readonly group: string;
  /** It does not serve, for one reason or another. */
  readonly isOut: boolean;
  /** It is to leave, or does so: what was granted to it still counts. */
  readonly isLeaving: boolean;
}

export type Verdict =
  | { readonly admitted: true; readonly granted: readonly string[] }
  | { readonly admitted: false; readonly most: number; readonly of: number; readonly out: readonly string[] };

/** Of so many; a percentage is rounded down, and is one at least. */
function mostOf(most: string, of: number): number {
  return most.endsWith("%") ? Math.max(1, Math.floor((Number(most.slice(0, -1)) * of) / 100)) : Number(most);
}

/**
 * Whether one more of its group may go out. `granted` are the uids of those that were admitted before: such a member
 * counts until it is no longer to leave, whether or not it has begun.
 */
export function admit(me: Member, members: readonly Member[], granted: readonly string[], most: string): Verdict {
  const counts = granted.filter((uid) => members.some((one) => one.uid === uid && one.isLeaving));
  const group = members.filter((one) => one.group === me.group);
  // What was granted to both does not keep either from it. Who is out counts all the same: the grant may be an old one.
  const waits = (one: Member) => counts.includes(one.uid) && !counts.includes(me.uid);
  const out = group.filter((one) => one.uid !== me.uid && (one.isOut || waits(one)));
  const limit = mostOf(most, group.length);
  if (!isNever(most) && out.length >= limit)
    return { admitted: false, most: limit, of: group.length, out: out.map(({ name }) => name).sort() };
  return { admitted: true, granted: [...new Set([...counts, me.uid])].sort() };
}

/** Annotation of the Lease in which a system keeps to whom it has granted to go out. */
export const grantedKey = "holdfast.dev/granted";
const grantedShape = z.array(z.string());

/**
 * @throws Error where another program has written it: which members were admitted is not known, and none may begin.
 */
export function readGranted(register: KubernetesObject | undefined): readonly string[] {
  const text = register?.metadata.annotations?.[grantedKey];
  if (text === undefined) return [];
  try {
    return grantedShape.parse(JSON.parse(text));
  } catch (cause) {
    const { namespace, name } = register?.metadata ?? {};
    const remove = `\`kubectl delete lease -n ${namespace} ${name}\``;
    throw new Error(`Lease ${name} is damaged. When nothing of its system begins at the moment, run ${remove}`, {
      cause,
    });
  }
}

/**
 * The write of who may go out: guarded by the register as it was read, so that of two that begin at once one looks
 * again, and counts the other. None where it says so already.
 */
export function grant(
  register: KubernetesObject | undefined,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  granted: readonly string[],
): readonly Write[] {
  const annotations = { [grantedKey]: JSON.stringify(granted) };
  if (!register) {
    const metadata = { namespace, name, annotations } as unknown as KubernetesObject["metadata"];
    return [{ verb: "create", kind: Lease, object: { apiVersion: Lease.apiVersion, kind: Lease.kind, metadata } }];
  }
  if (isDeepStrictEqual(readGranted(register), granted)) return [];
  return [annotate(Lease, register, annotations)];
}
