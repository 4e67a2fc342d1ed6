import { parseArgs } from "node:util";
import { count } from "../count.ts";
import { bootPlane } from "../plane/boot.ts";
import { compareLatencies } from "./compare.ts";
import { printLatency } from "./print.ts";

/**
 * `npm run bench -- latency [--single 200] [--burst 1000]`: from a claim's change to the patch that answers it, by a
 * function behind sources and a broker, and by a plain informer of client-node that does the same patch.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { single: { type: "string", default: "200" }, burst: { type: "string", default: "1000" } },
  });
  const [single, burst] = [count("single", values.single), count("burst", values.burst)];
  const plane = await bootPlane();
  if (!plane) return;
  try {
    const { informer, holdfast } = await compareLatencies(plane, { single, burst, print: (line) => console.log(line) });
    printLatency(informer, holdfast);
  } finally {
    await plane.stop();
  }
}
