import { parseArgs } from "node:util";
import { install, readInstallation } from "../../worlds/installation.ts";
import { bundleFor } from "../budget/bundle.ts";
import { bootPlane, type Plane } from "../plane/boot.ts";
import { inTree, ours } from "./arm.ts";
import { measureRelease, type Release } from "./measure.ts";
import { furnish, removePods } from "./namespace.ts";
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
  if (pods < claims) throw new Error(`--pods=${pods}: there must be at least one for each of ${claims} claims.`);
  const plane = await bootPlane();
  if (!plane) return;
  try {
    await compare(plane, claims, pods);
  } finally {
    await plane.stop();
  }
}

async function compare(plane: Plane, claims: number, pods: number): Promise<void> {
  const bundle = await bundleFor("pvc-protection/release");
  try {
    await install(
      plane.admin,
      readInstallation({ name: "bench", inTree: true, components: [], environment: {} }).objects,
    );
    console.log(`Creating ${pods} pods ...`);
    await furnish(plane.admin, pods);
    const manager = plane.binary("kube-controller-manager");
    const arms = [
      ...(manager
        ? [
            inTree("in-tree", manager),
            inTree("in-tree, raised", manager, ["--kube-api-qps=5000", "--kube-api-burst=5000"]),
          ]
        : []),
      ours(bundle.entry),
    ];
    if (!manager) console.log("There is no kube-controller-manager beside it: nothing to compare with.");
    for (const used of [false, true]) {
      // The pods that use the claims are among those of the namespace.
      if (used) await removePods(plane.admin, pods - claims, pods);
      const results: [string, Release][] = [];
      for (const arm of arms) {
        console.log(
          `${claims} claims, ${used ? "each used by a pod that is deleted" : "used by none"}: ${arm.name} ...`,
        );
        results.push([arm.name, await measureRelease(plane, arm, claims, used)]);
      }
      printReleases(used, results);
    }
  } finally {
    await bundle.remove();
  }
}

function count(flag: string, value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`--${flag}=${value}: a whole number above 0 is expected.`);
  return number;
}
