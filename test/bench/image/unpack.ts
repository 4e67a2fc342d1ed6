import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bytesOf, type Content } from "../../../build/images/oci/content.ts";
import type { Release } from "../../../build/images/oci/image.ts";

/** What a function adds to its base, as content: the Node that all share, and its own. */
export interface Layers {
  readonly node: Content;
  readonly own: Content;
}

/** The two upper layers of a release's first image. */
export async function layersOf({ name, images }: Release): Promise<Layers> {
  const [image] = images;
  if (!image) throw new Error(`The release of ${name} has no image.`);
  const { layers } = JSON.parse((await bytesOf(image.manifest)).toString()) as { layers: { digest: string }[] };
  const [node, own] = layers
    .slice(-2)
    .map(({ digest }) => image.blobs.find(({ descriptor }) => descriptor.digest === digest));
  if (!node || !own) throw new Error(`The image of ${name} lacks a layer that its manifest names.`);
  return { node, own };
}

/** Unpacks what a function adds to its base below a folder: all the files that its process opens but for the C library. */
export async function unpack({ node, own }: Layers, folder: string): Promise<void> {
  for (const layer of [node, own]) {
    const archive = join(folder, "layer.tar.gz");
    await writeFile(archive, await bytesOf(layer));
    execFileSync("tar", ["-xzf", archive, "-C", folder, "--no-same-owner"]);
    await rm(archive);
  }
}
