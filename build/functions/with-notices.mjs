import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { noticesOf } from "./notices.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The name of the file with the licences of what is bundled. */
export const noticesFile = "THIRD-PARTY-NOTICES.txt";

/**
 * Writes the notices of bundled packages beside a bundle. To be used after the plugins that write the scripts and the
 * pages.
 * @returns {import("esbuild").Plugin}
 */
export function withNotices() {
  return {
    name: "with notices",
    setup(build) {
      build.onEnd(async ({ errors }) => {
        if (errors.length > 0) return;
        const folder = /** @type {string} */ (build.initialOptions.outdir);
        const { inputs } = JSON.parse(await readFile(join(folder, "metafile.json"), "utf8"));
        await writeFile(join(folder, noticesFile), await noticesOf(Object.keys(inputs), root));
      });
    },
  };
}
