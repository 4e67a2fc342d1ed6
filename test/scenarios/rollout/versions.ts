import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { bundleOptions } from "../../../esbuild.config.mjs";

/**
 * Releases of a function: the repository's own, and one that writes progress in the next version, with a field that no
 * reader knows yet.
 */
export type Release = "now" | "next";

/** Bundles a release of a function below `folder`, and returns the script to run. */
export async function bundleRelease(name: string, release: Release, folder: string): Promise<string> {
  const outdir = join(folder, `${name.replace("/", "-")}.${release}`);
  const options = bundleOptions(name);
  // Baking a cache takes longer than it saves here.
  const plugins = (options.plugins ?? []).filter((plugin) => plugin.name !== "bake code cache");
  await build({ ...options, outdir, plugins: release === "next" ? [nextProgress, ...plugins] : plugins });
  return join(outdir, "index.mjs");
}

const nextProgress: Plugin = {
  name: "the next version of progress",
  setup(build) {
    build.onLoad({ filter: /[\\/]shared[\\/]progress\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const known = "{ attempt: step.attempt }),";
      const contents = source.replace(" v: 1,", " v: 2,").replace(known, `${known} plan: "b",`);
      if (contents.length !== source.length + ' plan: "b",'.length)
        throw new Error(`${path} has changed, and no other release can be made of it any more.`);
      return { contents, loader: "ts" };
    });
  },
};
