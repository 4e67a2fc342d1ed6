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
/** How many events the ring buffer holds of those of which nobody knows which function did not take them. */
export const mostUnattributed = 5;
/** Milliseconds in which no more of these are taken. */
export const unattributedPeriod = 3_600_000;

/** An event's key: sorts by time, and is a valid ConfigMap key whatever the event's id was. */
export function keyOf(event: DeadLetteredEvent): string {
  const time = new Date(event.received).toISOString().replaceAll(/[-:]/g, "").replace(".", "-");
  const id = (event.attributes.id ?? "").replaceAll(/[^A-Za-z0-9]/g, "").slice(0, 12) || "noid";
  return `${time}-${id}.json`;
}

/** An event as it is kept. */
export function textOf(event: DeadLetteredEvent): string {
  const whole = JSON.stringify(event);
  if (Buffer.byteLength(whole) <= longestEvent) return whole;
  const { object: _object, ...rest } = event;
  const known = ["id", "type", "kind", "apiversion", "namespace", "name"];
  const attributes = Object.fromEntries(Object.entries(event.attributes).filter(([name]) => known.includes(name)));
  return JSON.stringify({ ...rest, attributes });
}

/**
 * What changes in the ConfigMap's data when an event is added: its own key, and null for every event that must make
 * room, the oldest first. Keys that are no events are left alone.
 *
 * Nothing changes for an event of which nobody knows which function did not take it, once there are enough of this
 * hour: where a channel delivers for a Trigger that is gone, every event of its broker is one, and they would push the
 * others out.
 */
export function added(data: Readonly<Record<string, string>>, event: DeadLetteredEvent): Record<string, string | null> {
  const key = keyOf(event);
  if (data[key] === undefined && isOneTooMany(data, event)) return {};
  const text = textOf(event);
  const present = keysOf(data);
  const change: Record<string, string | null> = { [key]: text };
  let count = present.length + (data[key] === undefined ? 1 : 0);
  let size = present.reduce((sum, key) => sum + sizeOf(data[key]), Buffer.byteLength(text));
  const remove = (oldest: string) => {
    change[oldest] = null;
    count--;
    size -= sizeOf(data[oldest]);
  };
  if (event.destination === "") {
    const alike = present.filter((key) => unattributedSince(data[key]) !== undefined);
    for (const oldest of alike.slice(0, Math.max(0, alike.length + 1 - mostUnattributed)))
      if (oldest !== key) remove(oldest);
  }
  for (const oldest of present) {
    if (count <= mostEvents && size <= mostBytes) break;
    if (oldest !== key && change[oldest] === undefined) remove(oldest);
  }
  return change;
}

function isOneTooMany(data: Readonly<Record<string, string>>, { destination, received }: DeadLetteredEvent): boolean {
  if (destination !== "") return false;
  const lately = keysOf(data).filter((key) => (unattributedSince(data[key]) ?? 0) > received - unattributedPeriod);
  return lately.length >= mostUnattributed;
}

/** When an event was received of which nobody knows which function did not take it; `undefined` for any other text. */
function unattributedSince(text = ""): number | undefined {
  try {
    const { destination, received } = JSON.parse(text) as Partial<DeadLetteredEvent>;
    return destination === "" && typeof received === "number" ? received : undefined;
  } catch {
    return undefined;
  }
}

/** The keys of events, the oldest first. */
const keysOf = (data: Readonly<Record<string, string>>) =>
  Object.keys(data)
    .filter((key) => /^\d{8}T\d{6}-\d{3}Z-[A-Za-z0-9]+\.json$/.test(key))
    .sort();

const sizeOf = (text = "") => Buffer.byteLength(text);
