import type { Content } from "../oci/content.ts";
import type { Platform } from "../oci/descriptor.ts";

/** The part of an image's config that is read or passed on; the fields are OCI's. */
export interface ImageConfig extends Platform {
  readonly created?: string;
  readonly config?: {
    readonly Env?: readonly string[];
    readonly Labels?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly rootfs: { readonly type: "layers"; readonly diff_ids: readonly string[] };
  readonly history?: readonly object[];
  readonly [field: string]: unknown;
}

/** What images are built upon, for one platform. */
export interface BaseImage {
  readonly platform: Platform;
  readonly config: ImageConfig;
  readonly layers: readonly Content[];
}

/** What images are built upon. */
export interface Base {
  /** As it goes into annotations: a reference without a digest, or the name of a layout. */
  readonly name: string;
  /** Of the index, or of the one manifest there is. */
  readonly digest: string;
  /** Where its layers already lie, for registries that can take them over from one repository to another. */
  readonly origin?: { readonly host: string; readonly path: string };
  readonly images: readonly BaseImage[];
}
