import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleOptions, imageNames } from "../../esbuild.config.mjs";
import { runCommand } from "../../shared/command/run-command.ts";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";
import { noticesOf } from "../functions/notices.mjs";
import { buildClient } from "../functions/with-client.mjs";
import { noticesFile } from "../functions/with-notices.mjs";

const help = `Writes the licences of all packages that images, the console and the command line are made of.

  npm run notices [-- FILE]

FILE is dist/${noticesFile} by default. Each image, and the npm package, has a file of its own besides.
`;

const root = fileURLToPath(new URL("../..", import.meta.url));

async function main([file = join(root, "dist", noticesFile)]: readonly string[]): Promise<number> {
  if (file === "--help") {
    process.stdout.write(help);
    return 0;
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await noticesOf(await bundledFiles(), root));
  return 0;
}

/** What anything that is released is bundled from. */
async function bundledFiles(): Promise<readonly string[]> {
  using folder = temporaryFolder("notices");
  const entries = imageNames().map((name) => bundleOptions(name).entryPoints as readonly { readonly in: string }[]);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entries.flat().map((entry) => entry.in), "cli/main.ts"],
    outdir: folder.path,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    metafile: true,
    write: false,
    logLevel: "error",
  });
  const pages = await buildClient(join(folder.path, "console"));
  return [...Object.keys(metafile.inputs), ...pages];
}

await runCommand(() => main(process.argv.slice(2)));
