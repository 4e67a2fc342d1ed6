import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../shared/command/user-error.ts";
import { refName } from "../base/from-layout.ts";
import type { Content } from "../oci/content.ts";
import { type Descriptor, mediaTypes } from "../oci/descriptor.ts";
import type { Release } from "../oci/image.ts";

/** The file that says that a folder is a layout. */
export const layoutFile = { path: "oci-layout", text: JSON.stringify({ imageLayoutVersion: "1.0.0" }) };

/** Everything that a release is made of, each once, what is named before what names it. */
export function contentsOf({ index, images, attached }: Release): readonly Content[] {
  const all = [...images, ...attached].flatMap(({ blobs, manifest }) => [...blobs, manifest]);
  return [...new Map([...all, index].map((content) => [content.descriptor.digest, content])).values()];
}

/** What `index.json` lists of releases: each by its function's name with "-" for "/", and what is attached to them. */
export function entriesOf(releases: readonly Release[]): readonly Descriptor[] {
  return releases.flatMap(({ name, index, attached }) => [
    { ...index.descriptor, annotations: { ...index.descriptor.annotations, [refName]: name.replaceAll("/", "-") } },
    ...attached.map(({ manifest }) => manifest.descriptor),
  ]);
}

/** The text of `index.json`. */
export function indexText(entries: readonly Descriptor[]): string {
  return JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.index, manifests: entries });
}

/**
 * Writes releases to an OCI layout in a folder that is new, empty, or a layout already, whose images are replaced. Its
 * index is written last: if something fails before, the images that were there stay as they were.
 *
 * @throws UserError when the folder holds something else, or cannot be written to
 */
export async function writeLayout(folder: string, releases: readonly Release[]): Promise<void> {
  const present: readonly string[] = await readdir(folder).catch(() => []);
  if (present.length > 0 && !present.includes(layoutFile.path))
    throw new UserError(`${folder} is not empty and no OCI layout: nothing is written to it.`);
  try {
    await mkdir(join(folder, "blobs", "sha256"), { recursive: true });
    for (const content of releases.flatMap(contentsOf)) await writeBlob(folder, content);
    await put(join(folder, layoutFile.path), layoutFile.text);
    await put(join(folder, "index.json"), indexText(entriesOf(releases)));
  } catch (error) {
    throw new UserError(`The layout ${folder} could not be written: ${(error as Error).message}.`, { cause: error });
  }
}

async function writeBlob(folder: string, content: Content): Promise<void> {
  const { digest, size } = content.descriptor;
  const file = join(folder, "blobs", ...digest.split(":"));
  const present = await stat(file).catch(() => undefined);
  if (present?.size === size) return;
  await whole(file, async (temporary) => writeFile(temporary, await content.open()));
}

const put = (file: string, text: string) => whole(file, (temporary) => writeFile(temporary, text));

/** Has a file written under another name first, so that no reader ever sees a part of it. */
async function whole(file: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${file}.${process.pid}.part`;
  try {
    await write(temporary);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
