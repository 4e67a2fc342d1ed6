import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { bundleOptions, functionNames } from "../../esbuild.config.mjs";
import type { RevisionName } from "../serving/activator.ts";
import type { Launch } from "../serving/instance.ts";
import type { Plan } from "../serving/plan.ts";
import { Complaint } from "./complaint.ts";

/** The functions of the repository, bundled into a folder of this run. */
export interface Bundles {
  /** Bundles functions anew; all of them by default. */
  build(names?: readonly string[]): Promise<void>;
  /** Runs the bundle that the image `fn://<system>/<rule>` stands for, as it is at this moment. */
  launch(plan: Plan, name: RevisionName, environment: Record<string, string>): Promise<Launch>;
}

/** Bundles go to `folder`, so that two runs at once do not write the same files. */
export function createBundles(folder: string): Bundles {
  const bundleOf = (name: string) => join(folder, "bundles", name);
  return {
    async build(names = functionNames()) {
      await Promise.all(
        names.map((name) => build({ ...bundleOptions(name), outdir: bundleOf(name), sourcemap: false })),
      );
    },
    async launch({ image, environment }, { revision }, identity) {
      const name = image.replace(/^fn:\/\//, "");
      if (name === image || !functionNames().includes(name))
        throw new Complaint(
          `The image ${image} cannot be run here; fn://<system>/<rule> stands for a function of the repository.`,
        );
      // A revision never changes, whatever becomes of the bundle after it.
      const cwd = join(folder, "revisions", revision);
      await mkdir(cwd, { recursive: true });
      await cp(bundleOf(name), cwd, { recursive: true });
      return {
        command: process.execPath,
        args: [join(cwd, "index.mjs")],
        cwd,
        environment: { ...identity, ...environment },
      };
    },
  };
}
