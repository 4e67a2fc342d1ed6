import { timestamp } from "./timestamp.ts";

/** A condition of an object's status; times are RFC 3339. */
export interface Condition {
  readonly type: string;
  /** `True`, `False` or `Unknown`; kinds of others may have words of their own. */
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly [field: string]: unknown;
}

/** The condition of this type that an object's status has; of others' objects, fields of it may be absent. */
export const conditionOf = (object: object, type: string): Condition | undefined =>
  (object as { status?: { conditions?: readonly Condition[] } }).status?.conditions?.find((one) => one.type === type);

/** A condition as it should be. */
export type WantedCondition = Pick<Condition, "type" | "status" | "reason" | "message">;

/**
 * The conditions with one of them brought to what it should be; the very same list when it already says so, because an
 * unchanged object must stay unwritten. `lastTransitionTime` moves only when the status does, as the Kubernetes API
 * conventions ask; other fields of the condition and other conditions stay as they are. `now` is in milliseconds since
 * the epoch.
 */
export function setCondition(
  conditions: readonly Condition[],
  wanted: WantedCondition,
  now: number,
): readonly Condition[] {
  const place = conditions.findIndex(({ type }) => type === wanted.type);
  const present = conditions[place];
  const time = timestamp(now);
  if (!present) return [...conditions, { ...wanted, lastTransitionTime: time }];
  const { status, reason, message } = wanted;
  if (present.status === status && present.reason === reason && present.message === message) return conditions;
  const since = present.status === status ? present.lastTransitionTime : time;
  return conditions.with(place, { ...present, ...wanted, lastTransitionTime: since });
}
