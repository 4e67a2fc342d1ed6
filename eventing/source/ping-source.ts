import type { CloudEvent } from "../event/cloud-event.ts";
import type { PingSourcePlan } from "../manifest/ping-source.ts";
import { type EmitTools, emit } from "./emit.ts";
import { parseSchedule } from "./schedule.ts";

/** Longest random delay of a tick, so that many schedules do not fire at the same moment (milliseconds). */
const jitter = 500;

/** Timers of Node.js overflow after 24 days (milliseconds). */
const longestSleep = 86_400_000;

/**
 * Fires on a schedule until `signal` aborts. Each tick is sent on its own, however long the one before it takes; a tick
 * that falls into a time without a listener is not made up for.
 */
export async function runPingSource(
  plan: PingSourcePlan,
  sink: string,
  tools: EmitTools,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random } = tools;
  const { namespace, name, data, contentType, extensions } = plan;
  const schedule = parseSchedule(plan.schedule, plan.timezone);
  const emitter = { by: `PingSource ${namespace}/${name}`, namespace, sink, extensions };
  const event: CloudEvent = {
    attributes: {
      specversion: "1.0",
      type: "dev.knative.sources.ping",
      source: `/apis/v1/namespaces/${namespace}/pingsources/${name}`,
      ...(data !== undefined && contentType ? { datacontenttype: contentType } : {}),
    },
    body: data ?? "",
  };
  const tick = async () => {
    await clock.sleep(random.below(jitter), signal);
    await emit(tools, emitter, event, signal);
  };
  let last = 0;
  while (!signal.aborted) {
    // A timer may be a millisecond early: the tick it was set for must not come twice.
    const next = schedule.next(Math.max(clock.now(), last));
    if (next === undefined) return;
    const wait = next - clock.now();
    try {
      await clock.sleep(Math.min(wait, longestSleep), signal);
    } catch {
      return;
    }
    if (wait > longestSleep) continue;
    last = next;
    tick().catch(() => {});
  }
}
