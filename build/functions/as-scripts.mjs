import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

const starter = fileURLToPath(new URL("start.mjs", import.meta.url));

/**
 * Writes what esbuild made of a function as scripts that `start.mjs` can run with a code cache, which Node has no way
 * to give to ES modules: `index.mjs`, the scripts and their source maps (each of them named by its content), and
 * `metafile.json`, whose outputs keep the names of the modules.
 * @returns {import("esbuild").Plugin}
 */
export function asScripts() {
  return {
    name: "as scripts",
    setup(build) {
      build.onEnd(async ({ errors, outputFiles, metafile }) => {
        // What was written before stays until there is something to put in its place.
        if (errors.length > 0) return;
        const folder = /** @type {string} */ (build.initialOptions.outdir);
        await mkdir(folder, { recursive: true });
        const modules = (outputFiles ?? []).filter(({ path }) => path.endsWith(".mjs"));
        await Promise.all(
          modules.map(async ({ path, text }) => {
            const map = outputFiles?.find((file) => file.path === `${path}.map`)?.text;
            const script = await toScript(text, map);
            const name = scriptName(basename(path));
            await writeFile(join(folder, name), script.code);
            if (map) await writeFile(join(folder, `${name}.map`), script.map);
          }),
        );
        await writeFile(join(folder, "metafile.json"), JSON.stringify(metafile));
        const entry = modules.map(({ path }) => basename(path)).find((name) => name.startsWith("function-"));
        if (entry) await writeFile(join(folder, "index.mjs"), await starting(scriptName(entry)));
      });
    },
  };
}

/** The script that a module of the bundle becomes: `connect-ABCDEFGH.mjs` is run from `connect-ABCDEFGH.cjs`. */
export function scriptName(/** @type {string} */ module) {
  return module.replace(/\.mjs$/, ".cjs");
}

function toScript(/** @type {string} */ module, /** @type {string | undefined} */ map) {
  const origin = map
    ? `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}`
    : "";
  return transform(module.replaceAll(/(["']\.\/[\w-]+)\.mjs(["'])/g, "$1.cjs$2") + origin, {
    format: "cjs",
    platform: "node",
    target: "node24",
    minify: true,
    // What is imported later is required later.
    supported: { "dynamic-import": false },
    banner: "(function (module, exports, require) {",
    footer: "})",
    ...(map ? { sourcemap: "external" } : {}),
  });
}

async function starting(/** @type {string} */ entry) {
  const source = await readFile(starter, "utf8");
  const { code } = await transform(source.replace("function.cjs", entry), { target: "node24", minify: true });
  return code;
}
