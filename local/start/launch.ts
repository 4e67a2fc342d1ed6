import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { build, context, type Message, type Plugin, stop } from "esbuild";
import { functionEnvironment } from "../../build/functions/environment.mjs";
import { bundleOptions, functionNames } from "../../esbuild.config.mjs";
import { UserError } from "../../shared/command/user-error.ts";
import type { RevisionName } from "../serving/activator.ts";
import type { Launch } from "../serving/instance.ts";
import type { Plan } from "../serving/plan.ts";
import { aborted } from "../time/aborted.ts";
import { bundlingFault } from "./bundling-fault.ts";
import { type KeptBundles, openKeptBundles, usualPlace } from "./kept-bundles.ts";

/** The functions of the repository, bundled into a folder of this run. */
export type Bundles = ReturnType<typeof createBundles>;

/**
 * Bundles go to `folder`, so that two runs at once do not write the same files; copies for later runs are kept in
 * `place`.
 */
export function createBundles(
  folder: string,
  print: (line: string) => void,
  place = process.env.HOLDFAST_BUNDLES || usualPlace,
) {
  const bundleOf = (name: string) => join(folder, "bundles", name);
  /** The functions of which no bundle could be taken. */
  async function changed(kept: KeptBundles): Promise<readonly string[]> {
    const taken = functionNames().map(async (name) => ((await kept.take(name, bundleOf(name))) ? [] : [name]));
    return (await Promise.all(taken)).flat();
  }

  return {
    /** The folder of the console's pages, once they are built. */
    pages: join(bundleOf("platform/console"), "client"),
    /** Bundles all functions that have changed since they were bundled last. Rejects as soon as `signal` aborts. */
    async build(signal: AbortSignal) {
      signal.throwIfAborted();
      const since = Date.now();
      const kept = openKeptBundles(place);
      const names = await changed(kept);
      print(
        names.length > 0 ? `Bundling ${names.join(", ")} ...` : "No function has changed since it was bundled last.",
      );
      const builds = names.map(async (name) => {
        await build({ ...bundleOptions(name), outdir: bundleOf(name), sourcemap: false });
        await kept.keep(name, bundleOf(name), since, signal);
      });
      const all = Promise.all(builds);
      all.catch(() => {});
      try {
        await Promise.race([all, aborted(signal)]);
      } catch (error) {
        throw bundlingFault(error);
      } finally {
        // Its process would outlive the work by far.
        await stop();
      }
    },
    /**
     * Bundles one function, and again whenever a file of it changes; `built` hears of each time, with the errors there
     * were.
     */
    async watch(name: string, built: (errors: readonly Message[]) => void) {
      const options = bundleOptions(name);
      const whenBuilt: Plugin = { name: "when-built", setup: (build) => build.onEnd(({ errors }) => built(errors)) };
      // Baking a cache takes longer than it saves a function that is about to be changed again.
      const plugins = (options.plugins ?? []).filter((plugin) => plugin.name !== "bake code cache");
      const watcher = await context({
        ...options,
        sourcemap: "external",
        outdir: bundleOf(name),
        logLevel: "silent",
        plugins: [...plugins, whenBuilt],
      });
      await watcher.watch();
      return watcher;
    },
    /** Runs the bundle that the image `fn://<system>/<rule>` stands for, as it is at this moment. */
    async launch(
      { image, environment }: Plan,
      { revision }: RevisionName,
      identity: Record<string, string>,
    ): Promise<Launch> {
      const name = image.replace(/^fn:\/\//, "");
      if (name === image || !functionNames().includes(name))
        throw new UserError(
          `The image ${image} cannot be run here; fn://<system>/<rule> stands for a function of the repository.`,
        );
      // A revision never changes, also if the bundle changes after it.
      const cwd = join(folder, "revisions", revision);
      await mkdir(cwd, { recursive: true });
      await cp(bundleOf(name), cwd, { recursive: true });
      return {
        command: process.execPath,
        args: [join(cwd, "index.mjs")],
        cwd,
        environment: { ...functionEnvironment, ...identity, ...environment },
      };
    },
  };
}
