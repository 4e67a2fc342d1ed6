import type { KubernetesObject } from "../kubernetes/object.ts";
import { readProgress } from "../progress.ts";

/** Milliseconds by which the clocks of two instances may be apart: one a minute ahead, the other as much behind. */
const apart = 120_000;

/**
 * When to look again at what no event says, `pause` milliseconds after `now` at most; milliseconds since the epoch. The
 * time that is written down stays until it has passed, because each write comes back as an event. The time of an
 * instance whose clock is ahead stays, too: otherwise two instances would write their own times over each other's for
 * as long as both run.
 */
export function nextLook(object: KubernetesObject, ruleName: string, now: number, pause: number): number {
  const written = Date.parse(readProgress(object, ruleName)?.next ?? "");
  return written > now && written <= now + pause + apart ? written : now + pause;
}
