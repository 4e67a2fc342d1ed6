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
 * What else would get into a cache by chance, because V8 does it when it has the time. The rehearsal takes these flags
 * back before it writes the caches: V8 refuses a cache that was made with other flags than its own.
 */
const undisturbed = {
  // So large that nothing is collected: a collection forgets what functions were compiled to, and joins strings.
  "--min-semi-space-size=128": "--min-semi-space-size=0",
  "--max-semi-space-size=128": "--max-semi-space-size=0",
  // Functions keep a note of having been compiled, or of being compiled at this moment, to machine code.
  "--no-sparkplug": "--sparkplug",
  "--no-concurrent-recompilation": "--concurrent-recompilation",
};

/**
 * Runs the bundle in `folder` with `node`, and writes the caches. Scripts are named after the folder `as`. The same
 * bundle gives the same bytes again.
 * @param {string} folder
 * @param {{ node?: string, as?: string, timeout?: number }} [options] `timeout` in milliseconds
 * @returns {Promise<string | undefined>} what went wrong
 */
export function rehearse(folder, { node = process.execPath, as = folder, timeout = 60_000 } = {}) {
  // V8 seeds its hashes with it, and accepts a cache that was made with another seed.
  const flags = ["--random-seed=1", ...Object.keys(undisturbed)];
  return new Promise((resolve) => {
    // Nothing of our own environment: flags of V8 in NODE_OPTIONS would make a cache that others refuse.
    execFile(
      node,
      [...flags, rehearsal, folder, as, ...Object.values(undisturbed)],
      // By SIGKILL: a function that is asked to end first ends its work, which may be what hangs.
      { env: {}, timeout, killSignal: "SIGKILL" },
      (error, _, stderr) => resolve(error ? stderr.trim() || error.message : undefined),
    );
  });
}
