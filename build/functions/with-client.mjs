import { existsSync, globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";

const root = fileURLToPath(new URL("../..", import.meta.url));
const builder = join(root, "console/build.mjs");
const compressions = { br: promisify(brotliCompress), gz: promisify(gzip) };

/**
 * Builds the client of the console, the web pages, into the folder `client` beside a bundle, each of its assets in
 * brotli and gzip besides: the server need not compress it again for every reader. To be used after the plugin that
 * writes the scripts.
 * @returns {import("esbuild").Plugin}
 */
export function withClient() {
  return {
    name: "with client",
    setup(build) {
      build.onEnd(async ({ errors }) => {
        if (errors.length > 0 || !existsSync(builder)) return;
        const folder = /** @type {string} */ (build.initialOptions.outdir);
        const inputs = await buildClient(join(folder, "client"));
        // What the bundle was made of decides whether a later run can take it as it is.
        const file = join(folder, "metafile.json");
        const metafile = JSON.parse(await readFile(file, "utf8"));
        for (const input of inputs) metafile.inputs[input] ??= { bytes: 0, imports: [] };
        await writeFile(file, JSON.stringify(metafile));
      });
    },
  };
}

/**
 * Builds the client into a folder, and returns what it was made of.
 * @param {string} folder
 * @returns {Promise<readonly string[]>}
 */
export async function buildClient(folder) {
  const { buildConsole } = await import(pathToFileURL(builder).href);
  const { inputs = [] } = (await buildConsole(folder)) ?? {};
  const assets = globSync("assets/*.{css,js,svg}", { cwd: folder }).map((name) => join(folder, name));
  const packed = assets.flatMap((file) =>
    Object.entries(compressions).map(async ([suffix, compress]) =>
      writeFile(`${file}.${suffix}`, await compress(await readFile(file))),
    ),
  );
  await Promise.all(packed);
  return [...new Set([...inputs, ...globSync("console/**/*.{css,mjs,ts,tsx}", { cwd: root })])];
}
