import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { isOurs, leaving, type Truth } from "../invariants/invariant.ts";

/** What a liveness check looks at. */
export interface LivenessTruth extends Truth {
  /** Whether a fault struck a process or a request of ours, so that what comes after a write may not have been done. */
  readonly disturbed: boolean;
}

/** Something that must have come about in the end. Returns what has not, or `undefined`. */
export interface LivenessCheck {
  readonly name: string;
  check(truth: LivenessTruth): string | undefined;
}

/** What the setting gives a function beyond its manifest, by the name of its Service. */
export const environmentOf = ({ scenario }: Truth, service: string): Readonly<Record<string, string>> =>
  scenario.setting.environment[service] ?? {};

export const claimsOf = ({ history }: Truth) => history.live("PersistentVolumeClaim");

export const has = ({ metadata }: KubernetesObject, finalizer: string) =>
  metadata.finalizers?.includes(finalizer) ?? false;

/** Whether another client has removed this finalizer of an object while it stayed. */
export function wasStripped({ changes }: Truth, uid: string, finalizer: string): boolean {
  return changes.some(
    (change) =>
      !isOurs(change) && change.object.metadata.uid === uid && change.after && leaving(change).includes(finalizer),
  );
}
