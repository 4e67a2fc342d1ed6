import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { table } from "../table.ts";
import { openRestingCluster } from "./measure.ts";
import { everyMinute, withOwnPods } from "./variants.ts";

const hour = 3_600_000;
const hours = 6;

const installs: readonly (readonly [string, (object: KubernetesObject) => KubernetesObject])[] = [
  ["as shipped", (object) => object],
  ["swept every minute, 10 s idle", everyMinute],
  ["that, and sources without selector", (object) => withOwnPods(everyMinute(object))],
];

/** Counts what an installation does and costs in six hours in which nobody does anything. */
export async function run(): Promise<void> {
  const rows = [];
  for (const [what, edit] of installs) {
    const cluster = await openRestingCluster(edit);
    const { wakes, podSeconds, events } = await cluster.rest(hours * hour);
    await cluster.stop();
    const sweeps = wakes.get("platform-sweep") ?? 0;
    const others = [...wakes.values()].reduce((sum, count) => sum + count, 0) - sweeps;
    const perHour = (value: number) => (value / hours).toFixed(value % hours === 0 ? 0 : 1);
    rows.push({ what, cells: [perHour(sweeps), perHour(others), perHour(events), (podSeconds / hours).toFixed(0)] });
  }
  console.log(`${hours} hours in which nobody does anything, with one resync in them; per hour:\n`);
  console.log(table(["", "sweeps", "other runs", "events", "pod-seconds"], rows));
}
