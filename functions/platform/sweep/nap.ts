import { waitingLabel } from "../../../shared/progress.ts";
import { dueTime } from "./needs-look.ts";
import { objectsOf, offer, type Tick } from "./tick.ts";

const napStep = 2_000;
/** Milliseconds in which a function has started, looked, and written down when to look again. */
const startTime = 10_000;

/**
 * While something falls due within the tick, looks at what waits every two seconds; else costs nothing. What has just
 * had its event is looked after as well, for as long as a function may take to start: its rule may want to look again
 * soon, over and over.
 */
export async function nap(tick: Tick, looked: number): Promise<void> {
  const { clock, end, lists, sent, refusals } = tick;
  let lately = clock.now();
  for (;;) {
    let next: number | undefined;
    for (const [list, group] of lists) {
      for await (const object of objectsOf(list, group, tick, `${waitingLabel}=true`)) {
        const due = dueTime(object);
        const { namespace = "", uid } = object.metadata;
        const row = group.find(
          (row) => !row.signal && !row.excludedNamespaces.includes(namespace) && !refusals.has(row.sink),
        );
        if (!row || due === undefined || due >= end) continue;
        // What was due when the pass looked has had its event; it is not sent again before the next tick.
        if (due <= looked || sent.has(`${uid} ${due}`)) {
          if (clock.now() - lately < startTime) next = Math.min(next ?? end, clock.now() + napStep);
          continue;
        }
        if (due > clock.now()) {
          next = Math.min(next ?? due, due);
          continue;
        }
        if (clock.now() >= end) return;
        await offer(row, object, tick);
        sent.add(`${uid} ${due}`);
        lately = clock.now();
        next = Math.min(next ?? end, lately + napStep);
      }
    }
    if (next === undefined || clock.now() >= end) return;
    await clock.sleep(Math.min(napStep, Math.max(0, next - clock.now())));
  }
}
