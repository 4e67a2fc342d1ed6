import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bytesOf, type Content } from "../../build/images/oci/content.ts";
import type { Release } from "../../build/images/oci/image.ts";
import type { Program } from "../process/program.ts";

/** What a function adds to its base: the Node that all share and its own files, as content, and how it is started. */
export interface Layers {
  readonly node: Content;
  readonly own: Content;
  readonly entrypoint: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The two upper layers of a release's first image, and its configuration. */
export async function layersOf({ name, images }: Release): Promise<Layers> {
  const [image] = images;
  if (!image) throw new Error(`The release of ${name} has no image.`);
  const manifest = await read<{ layers: Named[]; config: Named }>(image.manifest);
  const named = [...manifest.layers.slice(-2), manifest.config];
  const [node, own, config] = named.map(({ digest }) =>
    image.blobs.find(({ descriptor }) => descriptor.digest === digest),
  );
  if (!node || !own || !config) throw new Error(`The image of ${name} lacks what its manifest names.`);
  const { Entrypoint: entrypoint, Env } = (await read<{ config: { Entrypoint: string[]; Env: string[] } }>(config))
    .config;
  const variables = Env.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)] as const);
  return { node, own, entrypoint, environment: Object.fromEntries(variables) };
}

interface Named {
  readonly digest: string;
}

const read = async <T>(content: Content) => JSON.parse((await bytesOf(content)).toString()) as T;

/**
 * Unpacks what a function adds to its base below a folder: all the files that its process opens but for the C library.
 * Returns how it is run from there, as the image says.
 */
export async function unpack({ node, own, entrypoint, environment }: Layers, folder: string): Promise<Program> {
  for (const layer of [node, own]) {
    const archive = join(folder, "layer.tar.gz");
    await writeFile(archive, await bytesOf(layer));
    execFileSync("tar", ["-xzf", archive, "-C", folder, "--no-same-owner"]);
    await rm(archive);
  }
  const [program = "", ...args] = entrypoint.map((path) => join(folder, path));
  return { node: program, args, environment };
}
