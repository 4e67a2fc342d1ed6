import { createHash } from "node:crypto";
import {
  type Failure,
  isEventKey,
  type KeptEvent,
  leftOutKey,
  longest,
  readKeptEvent,
  readLeftOut,
  resendAt,
  sweepSource,
} from "../lib/kept-event.ts";
import type { DeadLetteredEvent } from "./dead-lettered-event.ts";

/**
 * How many events the ring buffer holds. A ConfigMap holds at most 1 MiB; half of it is left to what others may put
 * there.
 */
export const mostEvents = 50;
/** In bytes of the events' JSON. */
export const mostBytes = 400_000;
/**
 * The longest event, in bytes, that is kept with its object; beyond, the object is left out, and then the attributes
 * are cut.
 */
export const longestEvent = 8_000;
/** How many events of one function the ring buffer takes in `period`: a flood of one pushes no other's out. */
export const mostOfOne = 10;
/** How many it takes of all those of which it is not known which function did not take them. */
export const mostUnattributed = 5;
/** Milliseconds. */
export const period = 3_600_000;
/**
 * How many events of one function stay for `period` although the ring buffer is full. A function that has fewer takes
 * the place of the newest one of the function that has most: a flood that names many functions fills it for none.
 */
const share = 4;

/**
 * An event's key: sorts by time, is a valid ConfigMap key, and says nothing that a sender has chosen. Events that
 * differ in anything have different keys: an id of another event, which a sender may have chosen, replaces no event.
 */
export function keyOf(event: DeadLetteredEvent): string {
  const time = new Date(event.received).toISOString().replaceAll(/[-:]/g, "").replace(".", "-");
  // What dead-letter itself has found out is no part of it.
  const { received: _received, since: _since, unknown: _unknown, ...content } = event;
  const id = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  return `${time}-${id.slice(0, 12)}.json`;
}

/** An event as it is kept. */
export function textOf(event: DeadLetteredEvent): string {
  const whole = JSON.stringify(event);
  if (Buffer.byteLength(whole) <= longestEvent) return whole;
  const { object: _object, ...rest } = event;
  const known = ["id", "type", "source", "kind", "apiversion", "namespace", "name"];
  const attributes = Object.fromEntries(Object.entries(event.attributes).filter(([name]) => known.includes(name)));
  return JSON.stringify({ ...rest, attributes });
}

/** What failed is sent again with the next tick: so late, at most, another failure belongs to the one before. */
const nextTick = 20 * 60_000;

/** That events of a function are left out is noted once in so many milliseconds. */
const noteEvery = 60_000;

/**
 * The newest kept event of the same type, object and function that the sweep sends again, with its key, where the
 * failure is still the same.
 */
function formerOf(data: Readonly<Record<string, string>>, event: DeadLetteredEvent) {
  const { type, apiversion, kind, namespace = "", name } = event.attributes;
  const isSame = (one: KeptEvent) =>
    functionOf(one) === functionOf(event) &&
    one.attributes.type === type &&
    one.attributes.apiversion === apiversion &&
    one.attributes.kind === kind &&
    one.attributes.namespace === namespace &&
    one.attributes.name === name;
  for (const key of keysOf(data).reverse()) {
    const kept = readKeptEvent(data[key]);
    if (!kept || !isSame(kept)) continue;
    const again = resendAt(kept);
    if (again !== undefined) return event.received <= again + nextTick ? { key, kept } : undefined;
  }
  return undefined;
}

/** The event with the time since when such events fail, where one of the same object and function has failed before. */
export function withSince(data: Readonly<Record<string, string>>, event: DeadLetteredEvent): DeadLetteredEvent {
  const former = formerOf(data, event)?.kept;
  return former ? { ...event, since: former.since ?? former.received } : event;
}

/**
 * What changes in the ConfigMap's data when an event is added: its own key, and null for every event that must make
 * room: those that are older than `period`, the oldest first, and then what a function has beyond its share. Keys that
 * are no events are left alone. An event of the sweep that fails again takes the place of the one before, also of that
 * of a source: it says the same, and what fails for hours would use up what is kept of its function. One that says that
 * the function has a defect, as a stranger may, replaces none that is to be sent again.
 *
 * An event of a function of which there are enough in this period is not kept: where it refuses everything, or a
 * stranger sends what no broker has sent, its events would push all others out. The first ones stay. What is left out
 * and can be taken later is noted, by function.
 */
export function added(data: Readonly<Record<string, string>>, event: DeadLetteredEvent): Record<string, string | null> {
  const key = keyOf(event);
  const former = resendAt(event) === undefined ? undefined : formerOf(data, event);
  if (event.attributes.source === sweepSource && former && former.key !== key) {
    const { [former.key]: _, ...others } = data;
    return { ...added(others, event), [former.key]: null };
  }
  if (data[key] === undefined && isOneTooMany(data, event)) return leftOut(data, event, event.received);
  const text = textOf(event);
  const present = keysOf(data);
  let change: Record<string, string | null> = { [key]: text };
  let count = present.length + (data[key] === undefined ? 1 : 0);
  let size = present.reduce((sum, key) => sum + sizeOf(data[key]), Buffer.byteLength(text));
  const remove = (oldest: string) => {
    change[oldest] = null;
    count--;
    size -= sizeOf(data[oldest]);
    const removed = readKeptEvent(data[oldest]);
    // The sweep has not sent it again, or not waited yet for what comes of it.
    if (removed && (resendAt(removed) ?? 0) > event.received - nextTick)
      change = { ...change, ...leftOut({ ...data, ...change } as Record<string, string>, removed, event.received) };
  };
  const alike = present.filter((key) => receivedFor(functionOf(event), data[key]) !== undefined);
  for (const oldest of alike.slice(0, Math.max(0, alike.length + 1 - mostOf(event))))
    if (oldest !== key) remove(oldest);
  const isFull = () => count > mostEvents || size > mostBytes;
  const others = present.filter((other) => other !== key && change[other] === undefined);
  const old = others.filter((other) => !isNew(data[other], event.received));
  for (const oldest of old) if (isFull()) remove(oldest);
  const young = Map.groupBy(
    others.filter((other) => !old.includes(other)),
    (other) => functionOf(parsed(data[other])) ?? "",
  );
  const own = functionOf(event) ?? "";
  const hasRight = own !== "" && (young.get(own)?.length ?? 0) < share;
  while (isFull()) {
    const [most = []] = [...young.values()].sort((one, other) => other.length - one.length);
    const newest = hasRight && most.length > share ? most.pop() : undefined;
    if (newest === undefined) return data[key] === undefined ? leftOut(data, event, event.received) : {};
    remove(newest);
  }
  return change;
}

const isNew = (text: string | undefined, now: number) => Number(parsed(text).received) > now - period;

/** Notes that events of a function, which it may take later, are not kept: the sweep then looks at everything. */
function leftOut(data: Readonly<Record<string, string>>, event: Failure, now: number): Record<string, string> {
  const name = functionOf(event);
  if (!name || resendAt(event) === undefined) return {};
  const before = Object.entries(readLeftOut(data)).filter(([, time]) => Date.parse(time) > now - longest);
  if (before.some(([other, time]) => other === name && Date.parse(time) > now - noteEvery)) return {};
  return { [leftOutKey]: JSON.stringify({ ...Object.fromEntries(before), [name]: new Date(now).toISOString() }) };
}

/** Those of functions that there are not count together: a sender could make up any number of names. */
const functionOf = ({ destination, unknown }: Pick<Partial<KeptEvent>, "destination" | "unknown">) =>
  unknown ? "" : destination;

const mostOf = (event: DeadLetteredEvent) => (functionOf(event) === "" ? mostUnattributed : mostOfOne);

function isOneTooMany(data: Readonly<Record<string, string>>, event: DeadLetteredEvent): boolean {
  const since = event.received - period;
  const lately = keysOf(data).filter((key) => (receivedFor(functionOf(event), data[key]) ?? 0) > since);
  return lately.length >= mostOf(event);
}

/** When an event was received that this function did not take; `undefined` for any other text. */
function receivedFor(wanted: string | undefined, text = ""): number | undefined {
  const event = parsed(text);
  return functionOf(event) === wanted && typeof event.received === "number" ? event.received : undefined;
}

/** What a text says of an event; nothing where it is none. */
function parsed(text = ""): Partial<DeadLetteredEvent> {
  try {
    return (JSON.parse(text) as Partial<DeadLetteredEvent> | null) ?? {};
  } catch {
    return {};
  }
}

/** The keys of events, the oldest first. */
const keysOf = (data: Readonly<Record<string, string>>) => Object.keys(data).filter(isEventKey).sort();

const sizeOf = (text = "") => Buffer.byteLength(text);
