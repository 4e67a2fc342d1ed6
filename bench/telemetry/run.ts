import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { functionEnvironment } from "../../build/functions/environment.mjs";
import { fromHere } from "../../shared/command/from-here.ts";
import { type Bundle, bundleFor, eagerPart } from "../budget/bundle.ts";
import { firstAnswer } from "../budget/first-answer.ts";
import { irrelevantEvent } from "../budget/irrelevant-event.ts";
import type { Program } from "../process/program.ts";
import { interleave, median } from "../statistics.ts";
import { megabytes, milliseconds, table } from "../table.ts";

const rounds = 20;
const name = "pvc-protection/release";

/** A collector that is away: it costs as much as one that answers, because no start waits for it. */
const switchedOn = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };

/** Measures cold starts of a function with telemetry off and on, and of an earlier bundle of it where one is named. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { before: { type: "string" } } });
  console.log(`Bundling ${name} and starting it ${rounds} times each way ...`);
  const bundle = await bundleFor(name);
  try {
    const before = values.before === undefined ? undefined : bundleIn(fromHere(values.before));
    const telemetry = statSync(join(bundle.folder, "telemetry.cjs")).size;
    const ways = [
      ...(before ? [{ what: "the earlier bundle", bundle: before, more: 0, environment: {} }] : []),
      { what: "telemetry off", bundle, more: 0, environment: {} },
      { what: "telemetry on", bundle, more: telemetry, environment: switchedOn },
    ];
    const programs = ways.map(
      ({ bundle, environment }): Program => ({
        args: [bundle.entry],
        environment: { ...functionEnvironment, ...environment },
      }),
    );
    const event = irrelevantEvent();
    // Once for the disk's sake.
    await interleave(1, programs, (program) => firstAnswer(program, event));
    const measured = await interleave(rounds, programs, (program) => firstAnswer(program, event));
    const rows = ways.map(({ what, bundle, more }, index) => {
      const starts = measured[index] ?? [];
      const bytes = (eagerPart(bundle).bytes + more).toLocaleString("en");
      const [time, rss] = [median(starts.map(({ time }) => time)), median(starts.map(({ rss }) => rss))];
      return { what, cells: [bytes, milliseconds(time), megabytes(rss)] };
    });
    console.log(table(["", "bytes of a start", "first answer", "memory"], rows));
  } finally {
    await bundle.remove();
  }
}

/** What `npm run build` has written for the function. */
function bundleIn(folder: string): Pick<Bundle, "folder" | "entry" | "metafile"> {
  const metafile = JSON.parse(readFileSync(join(folder, "metafile.json"), "utf8"));
  return { folder, entry: join(folder, "index.mjs"), metafile };
}
