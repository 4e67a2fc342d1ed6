import type { Client } from "../../../shared/kubernetes/client.ts";
import { ConfigMap } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import {
  idOf,
  isEventKey,
  type KeptEvent,
  longest,
  often,
  readKeptEvent,
  readLeftOut,
  resendAt,
  resendType,
  sweepType,
} from "../lib/kept-event.ts";
import type { Named } from "./deliver.ts";
import type { Row } from "./table.ts";
import { kindOf, nameOf, offer, type Tick, tablesList } from "./tick.ts";

/** So many events are sent again in one tick, the oldest first. */
const mostResent = 20;

/** Where events are kept that functions did not take. */
export interface DeadLetters {
  readonly namespace: string;
  readonly deadLetters: string;
}

/** The data of the ConfigMap of `dead-letter`. */
export type KeptEvents = Readonly<Record<string, string>>;

/** Reads what is kept; `undefined`, with the reason in `unread`, where that fails. */
export async function readKeptEvents(
  client: Client,
  { namespace, deadLetters }: DeadLetters,
  unread: Map<string, string>,
): Promise<KeptEvents | undefined> {
  try {
    const found = await client.get<KubernetesObject & { data?: KeptEvents }>(ConfigMap, namespace, deadLetters);
    return found?.data ?? {};
  } catch (error) {
    unread.set("dead letters", `Events that functions did not take cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}

/**
 * The functions of which `dead-letter` has left events out since everything was last resynced for them (`madeUp`,
 * RFC 3339 by function), and which take events again: each event that is kept of them was sent again by an earlier tick
 * (`resent`) and has not come back. That is once an hour at most for one function, and every quarter of an hour for
 * several: for functions that fail for many objects all of them would be sent with every tick.
 */
export function comeBack(
  kept: KeptEvents,
  resent: readonly string[],
  madeUp: Readonly<Record<string, string>>,
  now: number,
): readonly string[] {
  if (Object.values(madeUp).some((time) => now - Date.parse(time) < often / 4)) return [];
  const known = lookedAt(resent);
  const failing = Object.entries(kept).flatMap(([key, text]) => {
    const event = isEventKey(key) && !known.has(idOf(key)) ? readKeptEvent(text) : undefined;
    return event && resendAt(event) !== undefined && event.received > now - longest ? [event.destination] : [];
  });
  return Object.entries(readLeftOut(kept)).flatMap(([name, leftOut]) => {
    // What is older was resynced since.
    const last = Date.parse(madeUp[name] ?? "") || now - longest;
    return Date.parse(leftOut) > last && now - last >= often && !failing.includes(name) ? [name] : [];
  });
}

/**
 * Sends an event again for each object of which a function did not take one, for a reason that can end. If the function
 * does not take it either, that event is kept in turn, and the next tick sends it again; so it ends when it is taken.
 * Of what is kept only the object's name counts, and only where the table has its kind. Returns which kept events have
 * been sent again, to be given as `before` in the next tick.
 */
export async function resend(
  tick: Tick,
  data: KeptEvents | undefined,
  before: readonly string[],
): Promise<readonly string[]> {
  if (!data) return before;
  const keys = Object.keys(data).filter(isEventKey).sort();
  const known = lookedAt(before);
  const now = tick.clock.now();
  const waiting = keys.flatMap((key): { id: string; event: KeptEvent }[] => {
    const event = known.has(idOf(key)) ? undefined : readKeptEvent(data[key]);
    const at = event && resendAt(event);
    return event && at !== undefined && at <= now && event.received > now - longest ? [{ id: idOf(key), event }] : [];
  });
  const objects = Map.groupBy(waiting, ({ event }) => {
    const { apiversion, kind, namespace, name } = event.attributes;
    return JSON.stringify([resendType(event), apiversion, kind, namespace, name]);
  });
  const sent: string[] = [];
  for (const [first, ...more] of [...objects.values()].slice(0, mostResent)) {
    if (tick.clock.now() >= tick.end) break;
    const outcome = first && (await sendFor(first.event, tick).catch(() => "refused"));
    if (first && outcome !== "refused")
      sent.push(...[first, ...more].map(({ id }) => (outcome === "sent" ? id : `${id}${passedOver}`)));
  }
  const present = new Set(keys.map(idOf));
  return [...before.filter((id) => present.has(id.replace(passedOver, ""))), ...sent];
}

/** Ends the id of an event that no row wants: it is looked at once, and no function has taken it. */
const passedOver = "-";
const lookedAt = (ids: readonly string[]) => new Set(ids.map((id) => id.replace(passedOver, "")));

/** Sends an event to each broker that has the object's kind. `nothing`: no row wants it. */
async function sendFor(event: KeptEvent, tick: Tick): Promise<"sent" | "nothing" | "refused"> {
  const { apiversion, kind, namespace, name } = event.attributes;
  const type = resendType(event);
  const rows = tick.rows
    .filter((row) => row.apiVersion === apiversion && row.kind === kind && !row.signal)
    .filter((row) => row.namespaced === (namespace !== "") && !row.excludedNamespaces.includes(namespace));
  const object = { metadata: { namespace, name, uid: "" } };
  let outcome: "sent" | "nothing" = "nothing";
  for (const [sink, group] of Map.groupBy(rows, ({ sink }) => sink)) {
    const isSent = type === sweepType && group.some((row) => tick.sent.has(nameOf(row, object)));
    if (isSent) outcome = "sent";
    const row = isSent ? undefined : await selecting(group, object, tick);
    if (!row) continue;
    if (tick.refusals.has(sink)) return "refused";
    await offer({ ...row, signal: type }, object, tick);
    if (tick.refusals.has(sink)) return "refused";
    outcome = "sent";
  }
  // What tables that could not be listed have is not known.
  return outcome === "nothing" && tick.unread.has(tablesList) ? "refused" : outcome;
}

/** A label of Holdfast says which objects need a look. This one does: a function did not take an event of it. */
const ownLabel = /^holdfast\.dev\/[\w.-]+(=[\w.-]+)?$/;

/**
 * The first row that is for the object. One that is gone is sent where no label of others decides: what was said of it
 * may stay.
 */
async function selecting(rows: readonly Row[], { metadata: { namespace, name } }: Named, { client }: Tick) {
  for (const row of rows) {
    const { labelSelector } = row;
    if (!labelSelector || ownLabel.test(labelSelector)) return row;
    const only = { labelSelector, fieldSelector: `metadata.name=${name}`, metadataOnly: true };
    for await (const _ of client.list(kindOf(row), { ...only, ...(namespace ? { namespace } : {}) })) return row;
  }
  return undefined;
}
