import { parseArgs } from "node:util";
import { UserError } from "../../shared/command/user-error.ts";
import { count } from "../count.ts";
import { bootPlane } from "../plane/boot.ts";
import { compareReleases } from "./compare.ts";
import { printReleases } from "./print.ts";

/**
 * `npm run bench -- release [--claims 1000] [--pods 5000]`: releases many claims at once in a namespace with many pods,
 * by the in-tree controller and by the function, one after the other on the same API server.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { claims: { type: "string", default: "1000" }, pods: { type: "string", default: "5000" } },
  });
  const [claims, pods] = [count("claims", values.claims), count("pods", values.pods)];
  if (pods < claims) throw new UserError(`--pods=${pods}: there must be at least one for each of ${claims} claims.`);
  const plane = await bootPlane();
  if (!plane) return;
  try {
    const print = (line: string) => console.log(line);
    const comparison = { claims, pods, variants: [false, true], withDefaultLimit: true, print };
    for await (const { used, releases } of compareReleases(plane, comparison)) printReleases(used, releases);
  } finally {
    await plane.stop();
  }
}
