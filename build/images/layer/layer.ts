import { type Content, contentOf } from "../oci/content.ts";
import { digestOf, mediaTypes } from "../oci/descriptor.ts";
import { gzipOf } from "./gzip.ts";
import { type LayerFile, tarOf } from "./tar.ts";

/** One layer of an image. */
export interface Layer {
  readonly content: Content;
  /** The digest of the archive before it was compressed, which the image's config names. */
  readonly diffId: string;
  /** What the layer is, for the history of the image. */
  readonly createdBy: string;
}

/** A layer of files. */
export async function layerOf(files: readonly LayerFile[], createdBy: string): Promise<Layer> {
  const tar = await tarOf(files);
  return { content: contentOf(await gzipOf(tar), mediaTypes.layer), diffId: digestOf(tar), createdBy };
}
