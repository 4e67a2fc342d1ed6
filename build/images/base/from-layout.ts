import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../shared/command/user-error.ts";
import { fileContent } from "../oci/content.ts";
import { type Descriptor, isDigest, type Platform } from "../oci/descriptor.ts";
import type { Base } from "./base.ts";
import { readBase } from "./read-base.ts";

/**
 * A base in an OCI layout on disk: `FOLDER`, or `FOLDER:TAG` where the layout holds more than one image.
 *
 * @throws UserError
 */
export async function baseFromLayout(location: string, platforms: readonly Platform[]): Promise<Base> {
  const [folder, tag] = await split(location);
  const index = JSON.parse(await read(join(folder, "index.json"))) as { manifests: readonly Descriptor[] };
  const candidates = index.manifests.filter(({ annotations }) => tag === undefined || annotations?.[refName] === tag);
  const [root, ...more] = candidates;
  if (!root || more.length > 0) {
    const tags = index.manifests.map(({ annotations }) => annotations?.[refName] ?? "(without a name)").join(", ");
    throw new UserError(`Which image of ${folder} is the base? Say oci:${folder}:TAG. There is: ${tags || "none"}.`);
  }
  const images = await readBase(location, root, platforms, async (descriptor) => {
    if (!isDigest(descriptor.digest)) throw new UserError(`${folder} names ${descriptor.digest}, which is no digest.`);
    const file = join(folder, "blobs", ...descriptor.digest.split(":"));
    await access(file).catch(() => {
      throw new UserError(`The layout ${folder} has no ${descriptor.digest}, which it names.`);
    });
    return fileContent(file, descriptor);
  });
  return { name: tag ?? "oci-layout", digest: root.digest, images };
}

/** What an image of a layout is called. */
export const refName = "org.opencontainers.image.ref.name";

/** A folder may have colons in its name. */
async function split(location: string): Promise<[string, string?]> {
  const isFolder = await access(join(location, "index.json")).then(
    () => true,
    () => false,
  );
  const colon = location.lastIndexOf(":");
  return isFolder || colon < 0 ? [location] : [location.slice(0, colon), location.slice(colon + 1)];
}

async function read(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: Error) => {
    throw new UserError(`The base is no OCI layout: ${error.message}.`);
  });
}
