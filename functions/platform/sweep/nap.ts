import { waitingLabel } from "../../../shared/progress.ts";
import { dueTimes } from "./needs-look.ts";
import { objectsOf, offer, type Tick } from "./tick.ts";

const napStep = 2_000;
/** Milliseconds in which a function has started, asked its external system, and written down when to look again. */
const startTime = 30_000;

/**
 * While something falls due within the tick, looks at what waits every two seconds; else costs nothing. What has just
 * had its event is looked after as well, for as long as a function may take to start: its rule may want to look again
 * soon, over and over. Several rules may wait for one object: each of their times counts, whichever of them has passed.
 */
export async function nap(tick: Tick, looked: number): Promise<void> {
  const { clock, end, lists, sent, refusals } = tick;
  let lately = clock.now();
  for (;;) {
    let next: number | undefined;
    for (const [list, group] of lists) {
      for await (const object of objectsOf(list, group, tick, `${waitingLabel}=true`)) {
        const { namespace = "", uid } = object.metadata;
        const row = group.find(
          (row) => !row.signal && !row.excludedNamespaces.includes(namespace) && !refusals.has(row.sink),
        );
        const times = dueTimes(object).filter((due) => due < end);
        if (!row || times.length === 0) continue;
        const now = clock.now();
        const passed = times.filter((due) => due <= now);
        // What was due when the pass looked has had its event; it is not sent again before the next tick.
        if (passed.every((due) => due <= looked || sent.has(`${uid} ${due}`))) {
          if (passed.length > 0 && now - lately < startTime) next = Math.min(next ?? end, now + napStep);
          for (const due of times) if (due > now) next = Math.min(next ?? due, due);
          continue;
        }
        if (now >= end) return;
        await offer(row, object, tick);
        for (const due of passed) sent.add(`${uid} ${due}`);
        lately = clock.now();
        next = Math.min(next ?? end, lately + napStep);
      }
    }
    if (next === undefined || clock.now() >= end) return;
    await clock.sleep(Math.min(napStep, Math.max(0, next - clock.now())));
  }
}
