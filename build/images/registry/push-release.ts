import type { Content } from "../oci/content.ts";
import type { Release } from "../oci/image.ts";
import { type Repository, repositoryName } from "../oci/reference.ts";
import type { Target } from "../options.ts";
import { hasManifest, putManifest } from "./manifests.ts";
import { attach } from "./referrers.ts";
import { connect, type RegistryAccess } from "./registry.ts";
import { uploadBlob } from "./upload-blob.ts";

/** What is known of who has which blobs, so that functions can take shared layers over from one another. */
export type Whereabouts = Map<string, Repository>;

/** Uploads at once. */
const lanes = 4;

/**
 * Pushes a release to its repository beneath the target's, and returns its name with the digest. What is named is there
 * before what names it, and the tag comes last: a client that pulls it gets the old images, or the new, whole.
 *
 * @throws UserError when anything is refused or goes on failing; the tag is where it was, then
 */
export async function pushRelease(
  release: Release,
  { repository: { host, path }, tag }: Target,
  access: RegistryAccess,
  whereabouts: Whereabouts,
  show: (line: string) => void,
): Promise<string> {
  const repository = { host, path: `${path}/${release.name}` };
  const connection = await connect(repository, "pull,push", access);
  const { index, images, attached } = release;

  async function upload(blobs: readonly Content[]): Promise<void> {
    const left = [...new Map(blobs.map((blob) => [blob.descriptor.digest, blob])).values()];
    let failed = false;
    const lane = async () => {
      for (let blob = left.shift(); blob && !failed; blob = left.shift()) {
        const { digest } = blob.descriptor;
        const known = whereabouts.get(digest);
        const from = known?.host === host && known.path !== repository.path ? known.path : undefined;
        show(`${release.name}: ${digest.slice(0, 19)} (${(blob.descriptor.size / 2 ** 20).toFixed(1)} MiB)`);
        await uploadBlob(connection, blob, from, access.patience).catch((error) => {
          failed = true;
          throw error;
        });
        whereabouts.set(digest, repository);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  await upload(images.flatMap(({ blobs }) => blobs));
  for (const { manifest } of images)
    if (!(await hasManifest(connection, manifest))) await putManifest(connection, manifest);
  await putManifest(connection, index);
  await upload(attached.flatMap(({ blobs }) => blobs));
  for (const artifact of attached) await attach(connection, artifact);
  await putManifest(connection, index, tag);
  return `${repositoryName(repository)}@${index.descriptor.digest}`;
}
