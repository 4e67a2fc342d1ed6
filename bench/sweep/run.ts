import { parseArgs } from "node:util";
import { bundleFor } from "../budget/bundle.ts";
import { count } from "../count.ts";
import { interleave, median } from "../statistics.ts";
import { megabytes, milliseconds, table, times } from "../table.ts";
import { measureTick, startClusters, type Tick } from "./measure.ts";

const few = 1_000;
const rounds = 3;

/** Measures a tick of the sweep in a cluster of many claims beside one of few, and prints both. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { claims: { type: "string", default: "100000" } } });
  const many = count("claims", values.claims);
  console.log(`Bundling platform/sweep and letting it sweep ${few} and ${many} claims, ${rounds} times each ...`);
  const bundle = await bundleFor("platform/sweep");
  const clusters = await startClusters();
  try {
    // Once for the disk's sake, and so that the pages are made.
    for (const claims of [few, many]) await measureTick(bundle, clusters, claims);
    const ticks = await interleave(rounds, [few, many], (claims) => measureTick(bundle, clusters, claims));
    const [small, large] = ticks.map(middle) as [Tick, Tick];
    const row = (what: string, of: (tick: Tick) => number, format: (value: number) => string) => ({
      what,
      cells: [format(of(small)), format(of(large)), times(of(large) / of(small))],
    });
    const whole = (value: number) => value.toFixed(0);
    const perClaim = (large.cpu - small.cpu) / (many - few);
    console.log(
      table(
        ["", `${few} claims`, `${many} claims`, "ratio"],
        [
          row("memory after the tick", ({ rss }) => rss, megabytes),
          row("memory at its peak", ({ peak }) => peak, megabytes),
          row("pages read", ({ pages }) => pages, whole),
          row("bytes read, as JSON", ({ json }) => json, megabytes),
          row("bytes read, compressed", ({ bytes }) => bytes, megabytes),
          row("events sent", ({ events }) => events, whole),
          row("time", ({ time }) => time, milliseconds),
          row("processor time, with the start", ({ cpu }) => cpu, milliseconds),
        ],
      ),
    );
    const json = (large.json - small.json) / (many - few);
    console.log(
      `\nA claim more takes ${(perClaim * 1000).toFixed(0)} us of processor time and ${json.toFixed(0)} bytes of JSON`,
    );
    console.log("a tick, its event once an hour included.");
  } finally {
    await clusters.kill();
    await bundle.remove();
  }
}

/** Of each figure the median. */
function middle(ticks: readonly Tick[]): Tick {
  const [first] = ticks as [Tick];
  const fields = Object.keys(first) as (keyof Tick)[];
  return Object.fromEntries(
    fields.map((field) => [field, median(ticks.map((tick) => tick[field]))]),
  ) as unknown as Tick;
}
