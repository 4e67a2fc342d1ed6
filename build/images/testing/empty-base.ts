import { layerOf } from "../layer/layer.ts";
import type { LayerFile } from "../layer/tar.ts";
import { jsonContent } from "../oci/content.ts";
import { mediaTypes, type Platform } from "../oci/descriptor.ts";
import { type Image, indexOf } from "../oci/image.ts";
import { writeLayout } from "../output/write-layout.ts";

const account: LayerFile = {
  path: "etc/passwd",
  content: Buffer.from("nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n"),
};

/** Writes a base for both platforms to an OCI layout, with nothing in it that could run. */
export const writeEmptyBase = (folder: string): Promise<void> => writeBase(folder, {});

/** Writes a base for both platforms, with files for each architecture. */
export async function writeBase(folder: string, files: Readonly<Record<string, readonly LayerFile[]>>): Promise<void> {
  const images = [
    await imageOf({ os: "linux", architecture: "amd64" }, [account, ...(files.amd64 ?? [])]),
    await imageOf({ os: "linux", architecture: "arm64", variant: "v8" }, [account, ...(files.arm64 ?? [])]),
  ];
  await writeLayout(folder, [{ name: "base", index: indexOf(images, {}), images, attached: [] }]);
}

async function imageOf(platform: Platform, files: readonly LayerFile[]): Promise<Image> {
  const { content, diffId } = await layerOf(files, "base");
  const settings = {
    Env: ["PATH=/usr/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
    Entrypoint: ["/bin/sh"],
    Cmd: ["-c"],
    User: "0",
  };
  const rootfs = { type: "layers", diff_ids: [diffId] };
  const config = jsonContent({ ...platform, config: settings, rootfs }, mediaTypes.config);
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: config.descriptor,
    layers: [content.descriptor],
  };
  return { manifest: jsonContent(manifest, mediaTypes.manifest, { platform }), blobs: [content, config] };
}
