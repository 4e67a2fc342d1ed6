import { readGoDuration } from "../../../shared/kubernetes/go-duration.ts";
import type { PodObject } from "../objects/pod.ts";

/** On a pod with `restartPolicy: Never`: how long its containers run, as a Go duration; for ever when absent. */
const runFor = "laptop.holdfast.dev/run-for";
/** On a pod: the exit code with which its containers end by themselves; 0 when absent. */
const exitCode = "laptop.holdfast.dev/exit-code";
/** On a pod: how long its containers take to stop when asked to, as a Go duration; at once when absent. */
const stopAfter = "laptop.holdfast.dev/stop-after";

/** When the containers end by themselves, in milliseconds since the epoch; `undefined` when they never do. */
export function endOf(pod: PodObject, startedAt: number): number | undefined {
  if (pod.spec.restartPolicy !== "Never") return undefined;
  const duration = readGoDuration(pod.metadata.annotations?.[runFor] ?? "");
  return duration === undefined ? undefined : startedAt + duration;
}

/** The exit code of containers that end by themselves. */
export function exitCodeOf(pod: PodObject): number {
  return Number(pod.metadata.annotations?.[exitCode] ?? 0) || 0;
}

/**
 * When a pod being deleted was asked to stop, when it has stopped, and whether its containers had to be killed: they
 * take their time, but never longer than the grace period, which a second deletion can only shorten.
 */
export function stopOf({ metadata }: PodObject): { asked: number; at: number; killed: boolean } {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, annotations } = metadata;
  const latest = Date.parse(deletionTimestamp ?? "");
  const asked = latest - deletionGracePeriodSeconds * 1000;
  const stopped = asked + (readGoDuration(annotations?.[stopAfter] ?? "") ?? 0);
  return stopped <= latest ? { asked, at: stopped, killed: false } : { asked, at: latest, killed: true };
}
