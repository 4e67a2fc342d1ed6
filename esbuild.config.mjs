// Bundles each function into dist/functions/<system>/<rule>/: index.mjs, which runs the scripts beside it. One of them
// is run at every cold start, another holds the Kubernetes client and is run when the first event needs a look.
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { asScripts } from "./build/functions/as-scripts.mjs";
import { bakeCodeCache } from "./build/functions/bake.mjs";
import { lateBuiltins } from "./build/functions/late-builtins.mjs";
import { leaveOut } from "./build/functions/left-out.mjs";
import { withClient } from "./build/functions/with-client.mjs";
import { withNotices } from "./build/functions/with-notices.mjs";
import { withTelemetry } from "./build/functions/with-telemetry.mjs";
import { withoutApiClasses } from "./build/functions/without-api-classes.mjs";

const root = dirname(fileURLToPath(import.meta.url));

/** Every function of the repository, as `<system>/<rule>`. */
export function functionNames() {
  return globSync("functions/*/*/index.ts", { cwd: root })
    .map((file) => file.split(/[\\/]/).slice(1, 3).join("/"))
    .sort();
}

/** What is no function and has an image all the same, and where it begins. */
const others = { "platform/source": "eventing/main.ts" };

/** Everything that `fn://<name>` can stand for: every function, and what runs beside them without Knative. */
export function imageNames() {
  return [...functionNames(), ...Object.keys(others)].sort();
}

/** The folder that holds a function's bundle. */
export function bundleFolder(/** @type {string} */ name) {
  return join(root, "dist", "functions", name);
}

/**
 * esbuild's options for one image's bundle. The plugins write the files, to `outdir`.
 * @param {string} name
 * @returns {import("esbuild").BuildOptions & { outdir: string }}
 */
export function bundleOptions(name) {
  const other = /** @type {Record<string, string | undefined>} */ (others)[name];
  return {
    absWorkingDir: root,
    entryPoints: [{ in: other ?? `functions/${name}/index.ts`, out: "function" }],
    outdir: bundleFolder(name),
    entryNames: "[name]-[hash]",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    minify: true,
    legalComments: "none",
    sourcemap: "external",
    metafile: true,
    write: false,
    logLevel: "warning",
    plugins: pluginsOf(name),
  };
}

/** @param {string} name */
function pluginsOf(name) {
  // What always runs is not tuned for its start, and needs what functions can do without.
  if (name in others) return [withoutApiClasses(), asScripts(), withNotices()];
  const small = [lateBuiltins(), leaveOut(), withoutApiClasses()];
  // It takes no events, by which a code cache is made.
  if (name === "platform/console") return [...small, asScripts(), withClient(), withNotices()];
  return [...small, asScripts(), withTelemetry(), withNotices(), bakeCodeCache()];
}

/** Bundles functions. Rejects with esbuild's errors. */
export async function bundle(names = imageNames()) {
  await Promise.all(names.map((name) => build(bundleOptions(name))));
}
