import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { withoutApiClasses } from "../functions/without-api-classes.mjs";
import { embedDeclarations } from "./embed-declarations.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles the command line into one file, `outfile`. Returns the files that it was made of, relative to the root. */
export async function bundleProgram(options: BuildOptions & { readonly outfile: string }): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node24",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    ...options,
    metafile: true,
    plugins: [withoutApiClasses(), embedDeclarations(join(root, "functions")), ...(options.plugins ?? [])],
  });
  return Object.keys(metafile.inputs);
}
