import { parseArgs } from "node:util";
import { count } from "../count.ts";
import { bootPlane } from "../plane/boot.ts";
import { quantile } from "../statistics.ts";
import { milliseconds, table } from "../table.ts";
import { measureWindow } from "./measure.ts";

/** `npm run bench -- window [--claims 300]`: how long a reference of `set-owner` is under way on a real API server. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { claims: { type: "string", default: "300" } } });
  const claims = count("claims", values.claims);
  const plane = await bootPlane();
  if (!plane) return;
  try {
    const spans = await measureWindow(plane, claims);
    const at = (share: number) => milliseconds(quantile(spans, share));
    const cells = [String(spans.length), at(0.5), at(0.99), at(1)];
    console.log(table(["", "of", "median", "99 in 100", "longest"], [{ what: "a reference is under way", cells }]));
  } finally {
    await plane.stop();
  }
}
