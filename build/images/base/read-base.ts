import { UserError } from "../../../shared/command/user-error.ts";
import { bytesOf, type Content } from "../oci/content.ts";
import { type Descriptor, digestOf, mediaTypes, type Platform, platformName } from "../oci/descriptor.ts";
import type { BaseImage, ImageConfig } from "./base.ts";

/** Gives the content that a descriptor names, from wherever the base is. */
export type Fetch = (descriptor: Descriptor) => Promise<Content>;

/** The formats that docker had before OCI took them over. Layers are the same bytes under both names. */
const indexTypes: readonly string[] = [mediaTypes.index, "application/vnd.docker.distribution.manifest.list.v2+json"];
const manifestTypes: readonly string[] = [mediaTypes.manifest, "application/vnd.docker.distribution.manifest.v2+json"];
const layerTypes: Readonly<Record<string, string>> = {
  "application/vnd.docker.image.rootfs.diff.tar.gzip": mediaTypes.layer,
};

/** What may be asked for as a base. */
export const acceptedManifests = [...indexTypes, ...manifestTypes];

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/**
 * The images of a base for platforms, which `root` names: an index, an index of indexes, or a manifest alone.
 *
 * @throws UserError when it has none for a platform, is of a kind that is not known, or is damaged
 */
export async function readBase(
  name: string,
  root: Descriptor,
  platforms: readonly Platform[],
  fetch: Fetch,
): Promise<readonly BaseImage[]> {
  const found = await imagesBeneath(name, root, fetch);
  return platforms.map((platform) => {
    const image = found.find(({ platform: has }) => matches(has, platform));
    if (image) return image;
    const has = found.map(({ platform: { os, architecture } }) => `${os}/${architecture}`).join(", ") || "none";
    throw new UserError(`The base ${name} has no image for ${platformName(platform)}. It has: ${has}.`);
  });
}

const matches = (has: Platform, wanted: Platform) =>
  has.os === wanted.os &&
  has.architecture === wanted.architecture &&
  (wanted.variant === undefined || has.variant === wanted.variant);

async function imagesBeneath(name: string, descriptor: Descriptor, fetch: Fetch): Promise<readonly BaseImage[]> {
  const { mediaType } = descriptor;
  if (indexTypes.includes(mediaType)) {
    const { manifests } = await readJson<{ manifests: readonly Descriptor[] }>(name, descriptor, fetch);
    // Statements about images stand beside them in some indexes, for a platform named unknown.
    const images = manifests.filter(({ platform, artifactType }) => !artifactType && platform?.os !== "unknown");
    return (await Promise.all(images.map((image) => imagesBeneath(name, image, fetch)))).flat();
  }
  if (!manifestTypes.includes(mediaType))
    throw new UserError(`The base ${name} is of the type ${mediaType}, which is no image.`);
  const manifest = await readJson<Manifest>(name, descriptor, fetch);
  const config = await readJson<ImageConfig>(name, manifest.config, fetch);
  const layers = await Promise.all(
    manifest.layers.map(({ mediaType, digest, size }) =>
      fetch({ mediaType: layerTypes[mediaType] ?? mediaType, digest, size }),
    ),
  );
  const { os, architecture, variant } = config;
  return [{ platform: { os, architecture, ...(variant ? { variant } : {}) }, config, layers }];
}

async function readJson<T>(name: string, descriptor: Descriptor, fetch: Fetch): Promise<T> {
  const bytes = await bytesOf(await fetch(descriptor));
  if (digestOf(bytes) !== descriptor.digest)
    throw new UserError(`The base ${name} is damaged: ${descriptor.digest} has other bytes than its digest says.`);
  return JSON.parse(bytes.toString()) as T;
}
