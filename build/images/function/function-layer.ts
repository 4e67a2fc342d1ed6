import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { rehearse } from "../../functions/bake.mjs";
import { type Layer, layerOf } from "../layer/layer.ts";
import type { Platform } from "../oci/descriptor.ts";
import { type Bundle, copyBundle } from "./bundle-function.ts";

/** Where a function is in its image. */
export const functionFolder = "/function";

/** A cache is part of the image, so one that came out by chance must not decide its digest. */
const attempts = 6;

/** Whether this machine runs the programs of a platform. */
export function canRun({ os, architecture }: Platform): boolean {
  return os === process.platform && architecture === { x64: "amd64", arm64: "arm64" }[process.arch as string];
}

/** The layer of a function for platforms whose Node cannot be run here: it compiles its scripts at every start. */
export function plainLayer(bundle: Bundle): Promise<Layer> {
  return toLayer(bundle.name, bundle.folder, bundle.files);
}

/**
 * The layer of a function with the code cache that `node` makes, which starts faster. Rehearsals go on until two have
 * said the same: V8 does not promise that they do.
 *
 * Returns in `fault` why there is no cache, when there is none.
 */
export async function bakedLayer(
  bundle: Bundle,
  node: string,
  scratch: string,
): Promise<{ readonly layer: Layer; readonly fault?: string }> {
  const seen = new Map<string, Layer>();
  for (let attempt = 1; ; attempt++) {
    await copyBundle(bundle, scratch);
    const fault = await rehearse(scratch, { node, as: functionFolder });
    if (fault) return { layer: await plainLayer(bundle), fault };
    const layer = await toLayer(bundle.name, scratch, (await readdir(scratch)).sort());
    if (seen.has(layer.diffId) || attempt === attempts) return { layer };
    seen.set(layer.diffId, layer);
  }
}

async function toLayer(name: string, folder: string, files: readonly string[]): Promise<Layer> {
  const contents = files.map(async (file) => ({
    path: `${functionFolder.slice(1)}/${file}`,
    content: await readFile(join(folder, file)),
  }));
  return layerOf(await Promise.all(contents), name);
}
