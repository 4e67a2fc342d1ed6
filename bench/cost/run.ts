import { fileURLToPath } from "node:url";
import { table } from "../table.ts";
import { furnishBusy, keepBusy } from "./busy.ts";
import { measureEvents } from "./events.ts";
import { openPlane } from "./plane.ts";

const manifests = fileURLToPath(new URL("../../knative", import.meta.url));
const changes = 10_000;

/**
 * Counts what events cost on Knative's channel-based broker, and what a cluster triggers that is busy with other
 * things.
 */
export async function run(): Promise<void> {
  const plane = await openPlane([manifests]);
  try {
    const triggers = [...plane.triggers].map(([broker, count]) => `${count} of broker ${broker}`).join(", ");
    console.log(`The default install: ${plane.functions.length} functions, Triggers: ${triggers}.\n`);
    const rows = (await measureEvents(plane)).map(({ what, events, requests, bytes, wakes }) => ({
      what,
      cells: [`${events}`, `${requests}`, `${(bytes / 1000).toFixed(0)} kB`, `${wakes.length}`],
    }));
    console.log(table(["one change", "events", "requests", "bytes", "functions triggered"], rows));

    console.log(`\n${changes} changes in a busy cluster in which nothing is deleted, scaled or evicted ...`);
    await furnishBusy(plane.admin);
    const { events, requests, wakes } = await plane.measure(() => keepBusy(plane.admin, changes));
    const woken = [...wakes.values()].reduce((sum, count) => sum + count, 0);
    const cells = (value: number) => [`${value}`];
    const total = [
      { what: "events from sources", cells: cells(events) },
      { what: "HTTP requests between Knative's parts", cells: cells(requests) },
      { what: "functions triggered", cells: cells(woken) },
    ];
    console.log(table(["", `of ${changes}`], total));
  } finally {
    await plane.stop();
  }
}
