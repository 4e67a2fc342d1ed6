import { createHash } from "node:crypto";
import { access, chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compression } from "../layer/gzip.ts";
import { type Layer, layerOf } from "../layer/layer.ts";
import { bytesOf, fileContent } from "../oci/content.ts";
import { type Descriptor, digestOf } from "../oci/descriptor.ts";
import { filesOf, type LockedPackage } from "./npm-package.ts";

/** Node for one platform, as a layer and as a program. */
export interface Runtime {
  readonly node: LockedPackage;
  readonly layer: Layer;
  /** The program on this machine, which may be for another. */
  readonly program: string;
}

/** Where the program is in an image. Google's distroless images for Node have it there, too. */
export const nodePath = "/nodejs/bin/node";

const createdBy = "node";

/**
 * The layer that all functions share. To fetch and compress Node takes long, so both forms are kept in `cache`, under
 * what they were made of.
 */
export async function runtimeOf(node: LockedPackage, cache: string): Promise<Runtime> {
  const made = [node.integrity, nodePath, compression].join(" ");
  const key = createHash("sha256").update(made).digest("hex").slice(0, 16);
  const folder = join(cache, `${node.name}-${node.version}-${key}`);
  const program = join(folder, "node");
  const blob = join(folder, "layer.tar.gz");
  const note = join(folder, "layer.json");

  const known = await readNote(note);
  if (known && (await isThere(program)) && (await hasDigest(blob, known.descriptor.digest)))
    return { node, program, layer: { content: fileContent(blob, known.descriptor), diffId: known.diffId, createdBy } };

  const files = await filesOf(node, ["bin/node", "LICENSE"]);
  const layer = await layerOf(
    [
      { path: nodePath.slice(1), content: files.get("bin/node")!, executable: true },
      { path: "nodejs/LICENSE", content: files.get("LICENSE")! },
    ],
    createdBy,
  );
  await mkdir(folder, { recursive: true });
  await put(program, files.get("bin/node")!);
  await chmod(program, 0o755);
  await put(blob, await bytesOf(layer.content));
  const { descriptor } = layer.content;
  await put(note, JSON.stringify({ descriptor, diffId: layer.diffId } satisfies Note));
  return { node, program, layer: { ...layer, content: fileContent(blob, descriptor) } };
}

interface Note {
  readonly descriptor: Descriptor;
  readonly diffId: string;
}

async function readNote(file: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Note;
  } catch {
    return undefined;
  }
}

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

/** A damaged cache is made again. */
async function hasDigest(file: string, digest: string): Promise<boolean> {
  return (await isThere(file)) && digestOf(await readFile(file)) === digest;
}

/** Whole or not at all, also if another build runs at the same time. */
async function put(file: string, content: Buffer | string): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, content);
  await rename(temporary, file);
}
