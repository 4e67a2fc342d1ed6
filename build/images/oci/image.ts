import { bytesOf, type Content, jsonContent } from "./content.ts";
import { type Descriptor, mediaTypes } from "./descriptor.ts";

/** A manifest and the blobs that it names: an image for one platform, or an artifact that is attached to one. */
export interface Image {
  readonly manifest: Content;
  readonly blobs: readonly Content[];
}

/** Images of one function for several platforms under one digest, and what is attached to them. */
export interface Release {
  /** `<system>/<rule>`. */
  readonly name: string;
  readonly index: Content;
  readonly images: readonly Image[];
  /** Artifacts whose `subject` is the index or one of its images. */
  readonly attached: readonly Image[];
}

/** What an index lists of images, in their order. */
export function indexOf(images: readonly Image[], annotations: Readonly<Record<string, string>>): Content {
  const manifests = images.map(({ manifest }) => manifest.descriptor);
  return jsonContent({ schemaVersion: 2, mediaType: mediaTypes.index, manifests, annotations }, mediaTypes.index);
}

const empty = jsonContent({}, mediaTypes.empty);

/**
 * An artifact that says something about `subject`, as OCI 1.1 has it: found by who asks for the referrers of the
 * subject. Its bytes follow from the statement and the subject, so that the same statement is never attached twice.
 */
export function attachment(
  subject: Descriptor,
  statement: Content,
  annotations: Readonly<Record<string, string>>,
): Image {
  const { mediaType: artifactType } = statement.descriptor;
  const { mediaType, digest, size } = subject;
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    artifactType,
    config: empty.descriptor,
    layers: [statement.descriptor],
    subject: { mediaType, digest, size },
    annotations,
  };
  return {
    manifest: jsonContent(manifest, mediaTypes.manifest, { artifactType, annotations }),
    blobs: [empty, statement],
  };
}

/** The descriptor that an artifact's manifest names as its subject. */
export async function subjectOf({ manifest }: Image): Promise<Descriptor | undefined> {
  return (JSON.parse((await bytesOf(manifest)).toString()) as { subject?: Descriptor }).subject;
}
