// Bundles each function into dist/functions/<system>/<rule>/: index.mjs, which is evaluated at every cold start, and a chunk
// with the Kubernetes client, which is loaded when the first event needs a look.
//   node esbuild.config.mjs [<system>/<rule> ...]
import { globSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));

/** Every function of the repository, as `<system>/<rule>`. */
export function functionNames() {
  return globSync("functions/*/*/index.ts", { cwd: root })
    .map((file) => file.split(/[\\/]/).slice(1, 3).join("/"))
    .sort();
}

/** The folder that holds a function's bundle. */
export function bundleFolder(/** @type {string} */ name) {
  return join(root, "dist", "functions", name);
}

/** esbuild's options for one function. */
export function bundleOptions(/** @type {string} */ name) {
  return /** @type {const} @satisfies {import("esbuild").BuildOptions} */ ({
    absWorkingDir: root,
    entryPoints: [{ in: `functions/${name}/index.ts`, out: "index" }],
    outdir: bundleFolder(name),
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
    logLevel: "warning",
    // Packages in CommonJS call require for node's own modules.
    banner: { js: 'import{createRequire as __r}from"node:module";const require=__r(import.meta.url);' },
  });
}

/** Bundles functions and writes each one's metafile beside it. Rejects with esbuild's errors. */
export async function bundle(names = functionNames()) {
  await Promise.all(
    names.map(async (name) => {
      const { metafile } = await build(bundleOptions(name));
      await writeFile(join(bundleFolder(name), "metafile.json"), JSON.stringify(metafile));
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const known = functionNames();
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no function ${unknown.join(", ")}. There are: ${known.join(", ")}.`);
    process.exit(1);
  }
  await bundle(asked.length > 0 ? asked : known);
}
