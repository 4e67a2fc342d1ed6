import { install, readInstallation } from "../../test/harness/installation.ts";
import { bundleFor } from "../budget/bundle.ts";
import type { Plane } from "../plane/boot.ts";
import { type Arm, inTree, ours } from "./arm.ts";
import { measureRelease, type Release } from "./measure.ts";
import { furnish, removePods } from "./namespace.ts";

/** What is released where, by whom. */
export interface Comparison {
  readonly claims: number;
  readonly pods: number;
  /** Whether a pod uses each claim until it is deleted; each is a variant. */
  readonly variants: readonly boolean[];
  /** Without it, the in-tree controller with its limit raised is the only one that the function is compared with. */
  readonly withDefaultLimit: boolean;
  readonly print: (line: string) => void;
}

/** One variant: by the name of the arm, in the order that they were measured in. The function is the last one. */
export interface Variant {
  readonly used: boolean;
  readonly releases: readonly (readonly [string, Release])[];
}

/** Measures all arms, variant after variant, on one API server. */
export async function* compareReleases(
  plane: Plane,
  { claims, pods, variants, withDefaultLimit, print }: Comparison,
): AsyncGenerator<Variant, void, undefined> {
  const bundle = await bundleFor("pvc-protection/release");
  try {
    const { objects } = readInstallation({ name: "bench", inTree: true, components: [], environment: {} });
    await install(plane.admin, objects);
    print(`Creating ${pods} pods ...`);
    await furnish(plane.admin, pods);
    const arms = [...inTreeArms(plane, withDefaultLimit, print), ours(bundle.entry)];
    let left = pods;
    for (const used of variants) {
      // The pods that use the claims are among those of the namespace.
      if (used && left === pods) {
        left -= claims;
        await removePods(plane.admin, left, pods);
      }
      const releases: [string, Release][] = [];
      for (const arm of arms) {
        print(`${claims} claims, ${used ? "each used by a pod that is deleted" : "used by none"}: ${arm.name} ...`);
        releases.push([arm.name, await measureRelease(plane, arm, claims, used)]);
      }
      yield { used, releases };
    }
  } finally {
    await bundle.remove();
  }
}

function inTreeArms(plane: Plane, withDefaultLimit: boolean, print: Comparison["print"]): readonly Arm[] {
  const manager = plane.binary("kube-controller-manager");
  if (!manager) {
    print("There is no kube-controller-manager beside it: nothing to compare with.");
    return [];
  }
  const raised = inTree("in-tree, raised", manager, ["--kube-api-qps=5000", "--kube-api-burst=5000"]);
  return withDefaultLimit ? [inTree("in-tree", manager), raised] : [raised];
}
