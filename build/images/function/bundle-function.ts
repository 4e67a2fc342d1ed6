import { cp, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { build, type Metafile } from "esbuild";
import { bundleOptions } from "../../../esbuild.config.mjs";
import { UserError } from "../../../shared/command/user-error.ts";
import { noticesFile } from "../../functions/with-notices.mjs";

/** A function as it is bundled for images: the same for every platform, and without a code cache. */
export interface Bundle {
  /** `<system>/<rule>`. */
  readonly name: string;
  /** Holds `index.mjs`, the scripts, pages in `client/`, and source maps, which stay out of the image. */
  readonly folder: string;
  /** The names of what goes into the image. */
  readonly files: readonly string[];
  readonly metafile: Metafile;
  /** Whether it is tuned for its start, and so can have a code cache. */
  readonly bakes: boolean;
}

/**
 * Bundles a function into a folder of its own in `output`. @throws UserError when it cannot be; esbuild has printed
 * why, then
 */
export async function bundleFunction(name: string, output: string): Promise<Bundle> {
  const folder = join(output, name);
  await rm(folder, { recursive: true, force: true });
  const options = bundleOptions(name);
  // Each platform's Node bakes a cache of its own.
  const plugins = (options.plugins ?? []).filter((plugin) => plugin.name !== "bake code cache");
  const bakes = plugins.length < (options.plugins ?? []).length;
  await build({ ...options, outdir: folder, plugins }).catch((error: Error) => {
    throw new UserError(`${name} cannot be bundled.`, { cause: error });
  });
  const metafile = JSON.parse(await readFile(join(folder, "metafile.json"), "utf8")) as Metafile;
  const found = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
  const paths = found.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll("\\", "/"));
  const files = paths.filter((path) => path === noticesFile || /^[^/]+\.[cm]js$|^client\//.test(path)).sort();
  return { name, folder, files, metafile, bakes };
}

/** A copy of what goes into the image, to add a platform's code cache to. */
export async function copyBundle({ folder, files }: Bundle, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  for (const file of files) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(folder, file), join(to, file));
  }
}

/** Moves a bundle to a folder of its own in `output`, in the place of an older one. */
export async function keepBundle({ name, folder }: Bundle, output: string): Promise<void> {
  const to = join(output, name);
  await mkdir(dirname(to), { recursive: true });
  await rm(to, { recursive: true, force: true });
  // A build that has put its own there in this moment has made it of the same sources.
  await rename(folder, to).catch(() => {});
}
