import type { KubernetesObject } from "./object.ts";

/**
 * `now`, or when the API server says that the object was last written, if that is later: the own clock is behind then.
 * Both in milliseconds since the epoch. The API server keeps the time, to the second, in `managedFields`.
 */
export function notBeforeWritten({ metadata }: KubernetesObject, now: number): number {
  const managed = (metadata.managedFields ?? []) as readonly { readonly time?: string }[];
  return Math.max(now, ...managed.map(({ time = "" }) => Date.parse(time)).filter(Number.isFinite));
}
