import { createHash } from "node:crypto";

/** What one image is for. `variant` is set where the base names one, as `v8` of arm64. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

/** How manifests and indexes refer to content: by what it is, how long it is, and the hash of every byte. */
export interface Descriptor {
  readonly mediaType: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  readonly platform?: Platform;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
  /** The two bytes `{}`, where a manifest must name a config and has none. */
  empty: "application/vnd.oci.empty.v1+json",
} as const;

const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** Whether a text is a digest. Only sha256 is known here: no registry requires another. */
export const isDigest = (text: string) => digestPattern.test(text);

/** The digest of bytes. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** `linux/amd64`, `linux/arm64/v8`. */
export function platformName({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant ? [variant] : [])].join("/");
}
