import { open, rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { type Pack, pack } from "tar-stream";
import { UserError } from "../../../shared/command/user-error.ts";
import { bytesOf, type Content } from "../oci/content.ts";
import type { Release } from "../oci/image.ts";
import { contentsOf, entriesOf, indexText, layoutFile } from "./write-layout.ts";

/**
 * Writes releases to an OCI layout in an archive, as `podman load`, `ctr images import` and `skopeo copy oci-archive:`
 * read it. The file is there once it is whole.
 *
 * @throws UserError when it cannot be written
 */
export async function writeTarball(file: string, releases: readonly Release[]): Promise<void> {
  const temporary = `${file}.${process.pid}.part`;
  const archive = pack();
  try {
    // The file is there before anything can fail, so that it can be removed then.
    const to = (await open(temporary, "w")).createWriteStream();
    await Promise.all([fill(archive, releases), pipeline(archive, to)]);
    await rename(temporary, file);
  } catch (error) {
    archive.destroy();
    await rm(temporary, { force: true });
    throw new UserError(`The archive ${file} could not be written: ${(error as Error).message}.`, { cause: error });
  }
}

async function fill(archive: Pack, releases: readonly Release[]): Promise<void> {
  const contents = new Map(releases.flatMap(contentsOf).map((content) => [content.descriptor.digest, content]));
  for (const folder of ["blobs", "blobs/sha256"])
    archive.entry({ ...common, name: folder, type: "directory", mode: 0o755 });
  for (const content of contents.values()) await add(archive, blobPath(content), await bytesOf(content));
  await add(archive, layoutFile.path, Buffer.from(layoutFile.text));
  await add(archive, "index.json", Buffer.from(indexText(entriesOf(releases))));
  archive.finalize();
}

const common = { uid: 0, gid: 0, mtime: new Date(0) };

const blobPath = ({ descriptor }: Content) => `blobs/${descriptor.digest.replace(":", "/")}`;

/** Waits until it is written: all layers together would be too much to wait in memory. */
function add(archive: Pack, name: string, content: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry = archive.entry({ ...common, name, mode: 0o644, size: content.length }, content, (error) =>
      error ? reject(error) : resolve(),
    );
    entry.on("error", reject);
  });
}
