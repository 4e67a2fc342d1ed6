import type { Clock } from "../../../shared/clock.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { ConfigMap } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Log } from "../../../shared/log.ts";
import type { Post } from "./deliver.ts";
import { nap } from "./nap.ts";
import { pass } from "./pass.ts";
import { report } from "./report.ts";
import { readStatus } from "./status.ts";
import { readTable } from "./table.ts";
import { listsOf, type Tick } from "./tick.ts";

/** What a sweep stands on. */
export interface SweepTools {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly post: Post;
  /** A fresh event id. */
  readonly id: () => string;
}

export interface SweepSettings {
  readonly namespace: string;
  readonly table: string;
  /** Events per second at most. */
  readonly rate: number;
  /** Milliseconds that one tick may take, naps included; less than the schedule's period. */
  readonly tick: number;
}

/**
 * One tick: sends an event for every object of the table's kinds that needs a look, then naps while something falls due
 * within the tick. Where the tick's time ends, the place is written down and the next tick goes on there. A row that
 * cannot be used, a kind that cannot be listed and a broker that takes nothing are reported, and the others still served.
 * Two sweeps at once send some events twice, which the rules bear.
 *
 * @throws ApiError when the table cannot be read.
 */
export async function sweep(tools: SweepTools, settings: SweepSettings): Promise<string> {
  const { client, clock } = tools;
  const began = clock.now();
  const configMap = await client.get<KubernetesObject & { data?: Record<string, string> }>(
    ConfigMap,
    settings.namespace,
    settings.table,
  );
  if (!configMap)
    return `There is no ConfigMap ${settings.namespace}/${settings.table}; install it from knative/platform.`;

  const { rows, faults } = readTable(configMap.data?.["table.yaml"] ?? "", settings.namespace);
  const tick: Tick = {
    ...tools,
    end: began + settings.tick,
    pace: 1000 / settings.rate,
    lists: listsOf(rows),
    refusals: new Map(),
    unread: new Map(),
    sent: new Set(),
  };
  const before = readStatus(configMap);
  const after = before ? Date.parse(before.at) : began - 60_000;
  const until = before?.cursor && before.until ? Date.parse(before.until) : began;
  const cursor = await pass(tick, { after, until }, before?.cursor);
  if (!cursor) await nap(tick, until);

  const progress = cursor ? { at: after, cursor, until } : { at: until };
  return report(
    configMap,
    { ...progress, rows: rows.length, faults, refusals: tick.refusals, unread: tick.unread },
    tools,
  );
}
