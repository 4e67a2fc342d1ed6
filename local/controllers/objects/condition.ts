/** A condition of an object's status, as Pods, Nodes and Namespaces carry them. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastHeartbeatTime?: string;
  observedGeneration?: number;
}

/** The condition of a type, if the object has one. */
export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * The conditions with some set again; `lastTransitionTime` moves only with the status. Returns the very list it was
 * given when nothing changes, so that nothing needs to be written.
 */
export function withConditions(
  conditions: readonly Condition[] | undefined,
  changes: readonly Condition[],
  now: string,
): readonly Condition[] {
  const before = conditions ?? [];
  const after = new Map(before.map((condition) => [condition.type, condition]));
  let changed = false;
  for (const change of changes) {
    const old = after.get(change.type);
    if (old && old.status === change.status && old.reason === change.reason && old.message === change.message) continue;
    const lastTransitionTime = old?.status === change.status ? (old.lastTransitionTime ?? now) : now;
    after.set(change.type, { ...change, lastTransitionTime });
    changed = true;
  }
  return changed ? [...after.values()] : before;
}
