import { table } from "../table.ts";
import { openRestingCluster, type RestingOptions } from "./measure.ts";
import { fiftySatellites, oneVolume, threeSatellites, together, withAdmissionPolicy } from "./systems.ts";
import { everyMinute, tiedClaim, withOwnPods } from "./variants.ts";

const hour = 3_600_000;
const hours = 6;

const installs: readonly (readonly [string, RestingOptions])[] = [
  ["as shipped", {}],
  ["with a claim that set-owner has tied", { populate: tiedClaim }],
  ["with the overlay volume, and one Volume", { system: oneVolume }],
  ["with the overlay satellite, and three satellites", { system: threeSatellites }],
  ["that, with its admission policy", { system: withAdmissionPolicy(threeSatellites) }],
  ["all systems, with it", { system: together(oneVolume, withAdmissionPolicy(threeSatellites)) }],
  ["that, with fifty satellites", { system: together(oneVolume, withAdmissionPolicy(fiftySatellites)) }],
  ["that, without the policy", { system: together(oneVolume, fiftySatellites) }],
  ["swept every minute, 10 s idle", { edit: everyMinute }],
  ["swept so, and sources without selector", { edit: (object) => withOwnPods(everyMinute(object)) }],
];

/** Counts what an installation does and costs in six hours without any change. */
export async function run(): Promise<void> {
  const rows = [];
  for (const [what, options] of installs) {
    const cluster = await openRestingCluster(options);
    const { wakes, podSeconds, events } = await cluster.rest(hours * hour);
    await cluster.stop();
    const sweeps = wakes.get("platform-sweep") ?? 0;
    const others = [...wakes.values()].reduce((sum, count) => sum + count, 0) - sweeps;
    const perHour = (value: number) => (value / hours).toFixed(value % hours === 0 ? 0 : 1);
    rows.push({ what, cells: [perHour(sweeps), perHour(others), perHour(events), (podSeconds / hours).toFixed(0)] });
  }
  console.log(`${hours} hours without any change, with one resync in them; per hour:\n`);
  console.log(table(["", "sweeps", "other runs", "events", "pod-seconds"], rows));
}
