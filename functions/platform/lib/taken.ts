import { slug } from "../../../shared/rule.ts";
import { refusalReasons } from "../../../shared/steps.ts";
import { idOf, isEventKey, readLeftOut } from "./kept-event.ts";
import type { SweepStatus } from "./sweep-status.ts";

/** As much of an event that `dead-letter` keeps as a person is shown. */
export interface Kept {
  /** Its key. */
  readonly name: string;
  /** RFC 3339. */
  readonly received: string;
  /** The function that did not take it, as `<name>.<namespace>`; empty where the broker did not say. */
  readonly destination: string;
  /** `PersistentVolumeClaim shop/data`, as the sender says. */
  readonly about: string;
}

/** Reads an event that is kept under a key, of which anyone may have sent the text; `undefined` where it cannot be. */
export function readKept(name: string, text: string): Kept | undefined {
  try {
    const { received, destination, attributes = {} } = JSON.parse(text);
    const { kind = "", namespace, name: object = "" } = attributes;
    const about = `${kind} ${namespace ? `${namespace}/` : ""}${object}`.trim();
    const at = new Date(received).toISOString();
    return { name, received: at, destination: typeof destination === "string" ? destination : "", about };
  } catch {
    return undefined;
  }
}

/** Milliseconds in which an event that was sent again comes back: six attempts of 40 s, and the pauses between them. */
const returning = 300_000;

/**
 * Of the events that are kept, those that their function has taken since, as far as the sweep's status says so. `data`
 * is that of the ConfigMap that keeps them. `now` is in milliseconds since the epoch.
 */
export function takenOf<One extends Kept>(
  found: readonly One[],
  data: Readonly<Record<string, string>>,
  sweep: SweepStatus | undefined,
  now: number,
): ReadonlySet<One> {
  const leftOut = readLeftOut(data);
  const isSettled = now - Date.parse(sweep?.resentAt ?? "") > returning;
  const wasResent = ({ name }: Kept) => isSettled && sweep?.resent?.includes(idOf(name)) === true;
  const isSameWork = (one: Kept, other: Kept) => one.destination === other.destination && one.about === other.about;
  // What has failed again is kept once more, and was not sent again since.
  const isTaken = (one: Kept) =>
    found.every((other) => !isSameWork(one, other) || wasResent(other)) &&
    !((leftOut[one.destination] ?? "") > (sweep?.madeUp?.[one.destination] ?? ""));
  return new Set(found.filter(isTaken));
}

/** An Event, as far as it says which function recorded it, and when. */
interface Warned {
  readonly reason?: string;
  readonly reportingInstance?: string;
  readonly eventTime?: string | null;
}

/**
 * Whether a Warning still counts that says that a change is refused: it stays for an hour, also where the change has
 * gone through since. While it is refused, `dead-letter` keeps an event that the function has not taken. `data` is that
 * of the ConfigMap that keeps them; absent where it is not known. What cannot be read of it counts as such an event.
 */
export function isStillRefused(
  { reason = "", reportingInstance = "", eventTime }: Warned,
  data: Readonly<Record<string, string>> | undefined,
  sweep: SweepStatus | undefined,
  now: number,
): boolean {
  // Without a time it may be new.
  const isOld = now - Date.parse(eventTime ?? "") >= returning;
  if (!refusalReasons.includes(reason) || !data || !isOld) return true;
  const kept = Object.entries(data).flatMap(([name, text]) => (isEventKey(name) ? [readKept(name, text)] : []));
  const read = kept.filter((one) => one !== undefined);
  const taken = takenOf(read, data, sweep, now);
  // The broker does not always say which function has not taken an event.
  const isIts = (destination: string) => !destination || destination.split(".")[0] === slug(reportingInstance);
  const isLeftOut = Object.keys(readLeftOut(data)).some(isIts);
  return isLeftOut || read.length < kept.length || read.some((one) => isIts(one.destination) && !taken.has(one));
}
