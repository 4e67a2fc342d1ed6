import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const rehearsal = fileURLToPath(new URL("rehearse.mjs", import.meta.url));

/**
 * Bakes the code cache of a bundle: runs the function in a process of its own, sends it its first events, and writes
 * what V8 has compiled by then beside each script. To be used after the plugin that writes the scripts. A function that
 * cannot be run here is bundled without a cache, which costs it time at every start, and esbuild warns of it.
 *
 * The cache is for the Node that bakes it: images must bake with theirs.
 * @returns {import("esbuild").Plugin}
 */
export function bakeCodeCache() {
  return {
    name: "bake code cache",
    setup(build) {
      build.onEnd(async ({ errors }) => {
        if (errors.length > 0) return {};
        const fault = await rehearse(/** @type {string} */ (build.initialOptions.outdir));
        return fault ? { warnings: [{ text: `The function could not be run to bake its code cache: ${fault}` }] } : {};
      });
    },
  };
}

/**
 * Runs the bundle in `folder` with `node`, and writes the caches. Scripts are named after the folder `as`. The same bundle
 * gives the same bytes again, unless the machine is so busy that the events come in another rhythm.
 * @param {string} folder
 * @param {{ node?: string, as?: string }} [options]
 * @returns {Promise<string | undefined>} what went wrong
 */
export function rehearse(folder, { node = process.execPath, as = folder } = {}) {
  // V8 seeds its hashes with it, and accepts a cache that was made with another seed.
  const seed = "--random-seed=1";
  return new Promise((resolve) => {
    // Nothing of our own environment: flags of V8 in NODE_OPTIONS would make a cache that others refuse.
    execFile(node, [seed, rehearsal, folder, as], { env: {}, timeout: 20_000 }, (error, _, stderr) =>
      resolve(error ? stderr.trim() || error.message : undefined),
    );
  });
}
