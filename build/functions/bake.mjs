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

/** Answers what went wrong. */
function rehearse(/** @type {string} */ folder) {
  return new Promise((resolve) => {
    // Nothing of our own environment: flags of V8 in NODE_OPTIONS would make a cache that others refuse.
    execFile(process.execPath, [rehearsal, folder], { env: {}, timeout: 20_000 }, (error, _, stderr) =>
      resolve(error ? stderr.trim() || error.message : undefined),
    );
  });
}
