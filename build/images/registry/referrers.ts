import { jsonContent } from "../oci/content.ts";
import { type Descriptor, mediaTypes } from "../oci/descriptor.ts";
import { type Image, subjectOf } from "../oci/image.ts";
import { getIndex, putManifest } from "./manifests.ts";
import type { Connection } from "./registry.ts";

interface Referrers {
  readonly manifests: readonly Descriptor[];
}

/**
 * Puts an artifact, whose blobs are there, into a repository, so that it is found by who asks for what refers to its
 * subject. Registries older than OCI 1.1 do not keep such lists: there, the client that attaches keeps one, under a tag
 * that is made of the subject's digest. It can only be read and written again; of two who do that at once, one may be
 * lost, and is attached again by the next push.
 */
export async function attach(connection: Connection, artifact: Image): Promise<void> {
  const { descriptor } = artifact.manifest;
  const subject = await subjectOf(artifact);
  const known = await putManifest(connection, artifact.manifest);
  if (known || !subject) return;
  const tag = subject.digest.replace(":", "-");
  const present = (await getIndex<Referrers>(connection, tag, mediaTypes.index))?.manifests ?? [];
  if (present.some(({ digest }) => digest === descriptor.digest)) return;
  const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [...present, descriptor] };
  await putManifest(connection, jsonContent(index, mediaTypes.index), tag);
}
