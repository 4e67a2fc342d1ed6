import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { leaveOutOfTelemetry } from "./left-out.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const entry = "shared/telemetry/open-telemetry.ts";

/** @type {Promise<{ text: string } & import("esbuild").Metafile> | undefined} */
let built;

/**
 * Puts OpenTelemetry beside a bundle, as one script of its own that is run where the environment asks for it. It is
 * bundled apart: what it shares with the function would otherwise move to further files that every start reads. To be
 * used after the plugin that writes the scripts.
 * @returns {import("esbuild").Plugin}
 */
export function withTelemetry() {
  return {
    name: "with telemetry",
    setup({ onResolve, onEnd, initialOptions }) {
      onResolve({ filter: /\/open-telemetry\.ts$/ }, () => ({ path: "./telemetry.mjs", external: true }));
      onEnd(async ({ errors }) => {
        if (errors.length > 0) return;
        // The same for every function.
        built ??= bundleTelemetry();
        const { text, inputs, outputs } = await built;
        const folder = /** @type {string} */ (initialOptions.outdir);
        await writeFile(join(folder, "telemetry.cjs"), text);
        const file = join(folder, "metafile.json");
        const own = JSON.parse(await readFile(file, "utf8"));
        const merged = { inputs: { ...inputs, ...own.inputs }, outputs: { ...own.outputs, ...outputs } };
        await writeFile(file, JSON.stringify(merged));
      });
    },
  };
}

async function bundleTelemetry() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: "telemetry.cjs",
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    // Said here, so that no file beside the sources changes the script.
    tsconfigRaw: { compilerOptions: { strict: true } },
    minify: true,
    legalComments: "none",
    // As start.mjs runs scripts; what is imported later is required later.
    supported: { "dynamic-import": false },
    banner: { js: "(function (module, exports, require) {" },
    footer: { js: "})" },
    metafile: true,
    write: false,
    logLevel: "warning",
    plugins: [leaveOutOfTelemetry()],
  });
  const { inputs, outputs } = metafile;
  // Of the SDK's packages many are read and left out again.
  const inside = new Set(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    ),
  );
  return {
    text: /** @type {import("esbuild").OutputFile} */ (outputFiles[0]).text,
    inputs: Object.fromEntries(Object.entries(inputs).filter(([path]) => inside.has(path))),
    outputs,
  };
}
