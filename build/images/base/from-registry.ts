import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { UserError } from "../../../shared/command/user-error.ts";
import { type Content, fileContent } from "../oci/content.ts";
import type { Descriptor, Platform } from "../oci/descriptor.ts";
import { type Reference, repositoryName } from "../oci/reference.ts";
import { reasonOf } from "../registry/explain.ts";
import { getManifest } from "../registry/manifests.ts";
import { type Connection, connect, type RegistryAccess } from "../registry/registry.ts";
import type { Base } from "./base.ts";
import { acceptedManifests, readBase } from "./read-base.ts";

/**
 * A base in a registry. Its layers are fetched when the build needs their bytes, which a registry that has them does
 * not, and kept in `cache`.
 *
 * @throws UserError when it cannot be had
 */
export async function baseFromRegistry(
  reference: Reference,
  platforms: readonly Platform[],
  cache: string,
  access: RegistryAccess,
): Promise<Base> {
  const { host, path, tag, digest } = reference;
  const connection = await connect({ host, path }, "pull", access);
  const root = await findRoot(connection, digest ?? tag ?? "latest");
  const name = `${repositoryName(reference)}${tag ? `:${tag}` : ""}`;
  const images = await readBase(name, root.descriptor, platforms, async (descriptor) => {
    if (descriptor.digest === root.descriptor.digest) return root;
    if (acceptedManifests.includes(descriptor.mediaType)) return findRoot(connection, descriptor.digest);
    return keptBlob(connection, descriptor, cache);
  });
  return { name, digest: root.descriptor.digest, origin: { host, path }, images };
}

/** What a tag or digest names. @throws UserError when there is no such thing */
async function findRoot(connection: Connection, reference: string): Promise<Content> {
  const content = await getManifest(connection, reference, acceptedManifests);
  if (content) return content;
  throw new UserError(`There is no ${reference} in ${repositoryName(connection.repository)}.`);
}

function keptBlob(connection: Connection, descriptor: Descriptor, cache: string): Content {
  const file = join(cache, ...descriptor.digest.split(":"));
  const kept = fileContent(file, descriptor);
  return {
    descriptor,
    async open(start, end) {
      await access(file).catch(() => download(connection, descriptor, file));
      return kept.open(start, end);
    },
  };
}

async function download({ repository, send }: Connection, { digest }: Descriptor, file: string): Promise<void> {
  const answer = await send({ method: "GET", to: `blobs/${digest}` });
  if (answer.status !== 200)
    throw new UserError(`${repositoryName(repository)} does not give ${digest}: ${await reasonOf(answer)}.`);
  const temporary = `${file}.${process.pid}.part`;
  await mkdir(join(file, ".."), { recursive: true });
  try {
    await pipeline(answer.body, createWriteStream(temporary));
    const hash = createHash("sha256");
    await pipeline(createReadStream(temporary), hash);
    if (`sha256:${hash.digest("hex")}` !== digest)
      throw new UserError(`${repositoryName(repository)} has given something else for ${digest}.`);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
