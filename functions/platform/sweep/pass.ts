import type { Cursor, Phase } from "../lib/sweep-status.ts";
import type { Named } from "./deliver.ts";
import { needsLook, type Reason, type Span } from "./needs-look.ts";
import type { Row } from "./table.ts";
import { hasHad, objectsOf, offer, type Tick, tablesList } from "./tick.ts";

/** What has fallen due, or waits to go, comes before what is merely resynced. */
const phaseOf: Readonly<Record<Reason, Phase>> = { due: "urgent", deleting: "urgent", missing: "rest", resync: "rest" };

/**
 * So many objects are kept in mind while the lists are read. When there are more, the lists are
 * read again.
 */
const mostKept = 5_000;

/** An object that has its event when all that is urgent has had it, and the rows that want it. */
interface Later extends Named {
  readonly list: string;
  readonly rows: readonly Row[];
}

/**
 * Sends an event for every object that needs a look: for what is urgent while the lists are read, then for the rest.
 * Returns the place where the tick's time ended; `undefined` when all was looked at. `from`: where the tick before
 * ended.
 */
export async function pass(tick: Tick, span: Span, from: Cursor | undefined): Promise<Cursor | undefined> {
  // Of a list that the table does not have any more, a place says nothing.
  const known = from && tick.lists.has(from.list) ? from : undefined;
  // What is urgent is looked for from the beginning, unless that is what the last tick could not finish.
  let urgent = known?.phase === "urgent" ? known : undefined;
  let rest = known?.phase === "rest" ? known : undefined;
  for (;;) {
    const later: Later[] = [];
    const cut = await readLists(tick, span, { urgent, rest }, later);
    if (cut) return cut;
    for (const { list, rows, metadata } of later) {
      const { namespace = "", name } = metadata;
      const open = rows.filter((row) => !hasHad(row, { metadata }, tick) && !tick.refusals.has(row.sink));
      const wanted = eventsFor(open);
      if (wanted.length === 0) continue;
      if (tick.clock.now() >= tick.end) return rest ?? { phase: "rest", list, namespace: "", name: "" };
      for (const row of wanted) await offer(row, { metadata }, tick);
      rest = { phase: "rest", list, namespace, name };
    }
    const last = later.at(-1);
    if (!last || later.length < mostKept) return undefined;
    rest = placeOf("rest", last.list, last);
    urgent = undefined;
  }
}

/** One event for all rules; where none but polls want any, one for each. */
function eventsFor(rows: readonly Row[]): readonly Row[] {
  const forAll = rows.find(({ signal }) => !signal);
  return forAll ? [forAll] : rows;
}

/**
 * Reads every list once: sends an event for what is urgent, and adds to `later` what comes after the place of the rest.
 */
async function readLists(
  tick: Tick,
  span: Span,
  from: Readonly<Record<Phase, Cursor | undefined>>,
  later: Later[],
): Promise<Cursor | undefined> {
  const order = [...tick.lists.keys()];
  const all = { ...span, after: 0 };
  let place = from.urgent;
  for (const [list, group] of tick.lists) {
    const isOwed = ({ sink }: Row) => [sink, list, tablesList].some((failed) => tick.owed.has(failed));
    for await (const object of objectsOf(list, group, tick)) {
      const { metadata } = object;
      const wanting = group.flatMap((row) => {
        const isSpared = hasHad(row, object, tick) || tick.refusals.has(row.sink);
        const reason = isSpared ? undefined : needsLook(object, row, isOwed(row) ? all : span);
        return reason ? [{ row, phase: phaseOf[reason] }] : [];
      });
      const urgent = wanting.find(({ phase }) => phase === "urgent")?.row;
      if (urgent) {
        if (!isAfter(list, object, from.urgent, order)) continue;
        if (tick.clock.now() >= tick.end) return place ?? { phase: "urgent", list, namespace: "", name: "" };
        await offer(urgent, object, tick);
        place = placeOf("urgent", list, object);
      } else if (wanting.length > 0 && later.length < mostKept && isAfter(list, object, from.rest, order)) {
        const { namespace, name, uid } = metadata;
        const names = { name, uid, ...(namespace === undefined ? {} : { namespace }) };
        later.push({ list, rows: wanting.map(({ row }) => row), metadata: names });
      }
    }
  }
  return undefined;
}

function placeOf(phase: Phase, list: string, { metadata: { namespace = "", name } }: Named): Cursor {
  return { phase, list, namespace, name };
}

/** Lists come in the order of their keys: `<namespace>/<name>`, byte by byte. */
function isAfter(list: string, { metadata }: Named, place: Cursor | undefined, order: readonly string[]): boolean {
  if (!place) return true;
  if (list !== place.list) return order.indexOf(list) > order.indexOf(place.list);
  const key = (namespace: string, name: string) => Buffer.from(`${namespace}/${name}`);
  return Buffer.compare(key(metadata.namespace ?? "", metadata.name), key(place.namespace, place.name)) > 0;
}
