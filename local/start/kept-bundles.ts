import { createHash } from "node:crypto";
import { cp, glob, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** `npm ci` takes it away, as it does what bundles are made of. */
export const usualPlace = join(root, "node_modules/.cache/holdfast");

/** Bundles of earlier runs: a start that finds nothing changed has nothing to bundle. */
export type KeptBundles = ReturnType<typeof openKeptBundles>;

/** What a bundle was made of: the digest of each file, by its path from the root of the repository. */
type Recipe = Readonly<Record<string, string>>;

const recipeFile = "recipe.json";

/** Milliseconds; what is not needed is left alone so long, because another run may be at work on it. */
const untouched = 3_600_000;

/** Keeps bundles in the folder `place`, in a folder for each toolchain; those of others go in time. */
export function openKeptBundles(place: string) {
  const digests = new Map<string, Promise<string>>();
  const digestOf = (path: string) => {
    const digest = digests.get(path) ?? readFile(join(root, path)).then(sha256);
    digests.set(path, digest);
    return digest;
  };

  /** What else decides how a bundle turns out: the Node that bakes its code caches, and what bundles. */
  async function toolchain(): Promise<string> {
    const bundler = await Array.fromAsync(glob("build/functions/*.mjs", { cwd: root }));
    const paths = ["esbuild.config.mjs", "package-lock.json", "tsconfig.json", ...bundler.toSorted()];
    const digests = await Promise.all(paths.map(digestOf));
    return sha256(JSON.stringify([process.version, process.platform, process.arch, process.execPath, digests]));
  }
  let shelf: Promise<string> | undefined;
  const placeOf = async (name: string) => {
    shelf ??= toolchain();
    return join(place, await shelf, name.replace("/", "-"));
  };

  return {
    /** Copies the bundle of a function to `folder`, if it was made of what is there now. Returns whether it was. */
    async take(name: string, folder: string) {
      try {
        const kept = await placeOf(name);
        const recipe: Recipe = JSON.parse(await readFile(join(kept, recipeFile), "utf8"));
        for (const [path, digest] of Object.entries(recipe)) if ((await digestOf(path)) !== digest) return false;
        await cp(kept, folder, { recursive: true });
        return true;
      } catch {
        // There is none, or a file that it was made of is gone.
        return false;
      }
    },
    /**
     * Keeps the bundle in `folder`, whose making began at `since` (milliseconds since the epoch), unless `signal`
     * aborts meanwhile: then the folder may be going. Never rejects.
     */
    async keep(name: string, folder: string, since: number, signal: AbortSignal) {
      try {
        const recipe = await recipeOf(folder, since);
        if (!recipe) return;
        const kept = await placeOf(name);
        await mkdir(dirname(kept), { recursive: true });
        const prepared = await mkdtemp(join(place, "new-"));
        await cp(folder, prepared, { recursive: true });
        await writeFile(join(prepared, recipeFile), JSON.stringify(recipe));
        const replaced = `${prepared}-replaced`;
        if (!signal.aborted) {
          // Whole folders change places: a run that takes a bundle at this moment finds all of one, or fails and makes
          // their own.
          await rename(kept, replaced).catch(() => {});
          // Another run may have been quicker; its bundle is as good.
          await rename(prepared, kept).catch(() => {});
        }
        for (const rest of [prepared, replaced]) await rm(rest, { recursive: true, force: true });
        await tidy(dirname(kept));
      } catch {
        // Without it the next start takes some seconds longer.
      }
    },
  };

  async function tidy(current: string): Promise<void> {
    for (const other of (await readdir(place)).map((name) => join(place, name)))
      if (other !== current && (await stat(other)).mtimeMs < Date.now() - untouched)
        await rm(other, { recursive: true });
  }

  /** `undefined` when a file was saved after `since`: it is unknown which of its contents went in. */
  async function recipeOf(folder: string, since: number): Promise<Recipe | undefined> {
    const { inputs } = JSON.parse(await readFile(join(folder, "metafile.json"), "utf8")) as { inputs: object };
    const recipe: Record<string, string> = {};
    // What the bundler's plugins make up, such as `builtin:zlib`, is no file.
    for (const path of Object.keys(inputs).filter((path) => !path.includes(":"))) {
      if ((await stat(join(root, path))).mtimeMs >= since) return undefined;
      recipe[path] = await digestOf(path);
    }
    return recipe;
  }
}

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
