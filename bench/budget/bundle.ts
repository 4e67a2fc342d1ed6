import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type Metafile } from "esbuild";
import { scriptName } from "../../build/functions/as-scripts.mjs";
import { bundleOptions } from "../../esbuild.config.mjs";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";

/** A function's bundle, made for this run, with its code cache. */
export interface Bundle {
  readonly folder: string;
  /** What a function's process is started with. */
  readonly entry: string;
  readonly metafile: Metafile;
  remove(): Promise<void>;
}

/** Bundles a function as `npm run build` does, but to a folder of its own. */
export async function bundleFor(name: string): Promise<Bundle> {
  const temporary = temporaryFolder("bundle");
  const folder = temporary.path;
  await build({ ...bundleOptions(name), outdir: folder });
  const metafile = JSON.parse(readFileSync(join(folder, "metafile.json"), "utf8")) as Metafile;
  return { folder, entry: join(folder, "index.mjs"), metafile, remove: async () => temporary[Symbol.dispose]() };
}

/** The files that every start of the function runs, and what they consist of. */
export interface EagerPart {
  readonly files: readonly string[];
  readonly bytes: number;
  /** Paths of the sources and packages in them. */
  readonly inputs: readonly string[];
}

/** `index.mjs`, the script it runs, and all that this script imports before it does anything. */
export function eagerPart({ folder, metafile }: Pick<Bundle, "folder" | "metafile">): EagerPart {
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const files = ["index.mjs"];
  const inputs: string[] = [];
  const pending = [...outputs.keys()].filter((name) => /^function-.*\.mjs$/.test(name));
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (files.includes(scriptName(name))) continue;
    files.push(scriptName(name));
    const output = outputs.get(name);
    inputs.push(...Object.keys(output?.inputs ?? {}));
    for (const { path, kind } of output?.imports ?? []) if (kind === "import-statement") pending.push(basename(path));
  }
  return { files, inputs, bytes: files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0) };
}
