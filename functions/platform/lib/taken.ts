import { slug } from "../../../shared/rule.ts";
import { refusalReasons } from "../../../shared/steps.ts";
import { idOf, isEventKey, readKeptEvent, readLeftOut } from "./kept-event.ts";
import type { SweepStatus } from "./sweep-status.ts";

/** An event that `dead-letter` keeps: its key, the function that did not take it, and the object that it names. */
export interface Kept {
  readonly name: string;
  readonly destination: string;
  readonly about: string;
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
 * of the ConfigMap that keeps them; absent where it is not known.
 */
export function isStillRefused(
  { reason = "", reportingInstance = "", eventTime }: Warned,
  data: Readonly<Record<string, string>> | undefined,
  sweep: SweepStatus | undefined,
  now: number,
): boolean {
  const isNew = now - Date.parse(eventTime ?? "") < returning;
  if (!refusalReasons.includes(reason) || !data || isNew) return true;
  const kept = Object.entries(data).flatMap(([name, text]) => {
    const { destination, attributes: of } = (isEventKey(name) && readKeptEvent(text)) || {};
    return destination && of ? [{ name, destination, about: `${of.kind} ${of.namespace}/${of.name}` }] : [];
  });
  const taken = takenOf(kept, data, sweep, now);
  const isIts = (destination: string) => destination.split(".")[0] === slug(reportingInstance);
  const isLeftOut = Object.keys(readLeftOut(data)).some(isIts);
  return isLeftOut || kept.some((one) => isIts(one.destination) && !taken.has(one));
}
