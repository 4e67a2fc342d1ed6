import { layerOf } from "../layer/layer.ts";
import { jsonContent } from "../oci/content.ts";
import { mediaTypes } from "../oci/descriptor.ts";
import { type Image, indexOf } from "../oci/image.ts";
import { writeLayout } from "../output/write-layout.ts";

/** Writes a base for both platforms to an OCI layout, with nothing in it that could run. */
export async function writeEmptyBase(folder: string): Promise<void> {
  const images = [await imageOf("amd64"), await imageOf("arm64", "v8")];
  await writeLayout(folder, [{ name: "base", index: indexOf(images, {}), images, attached: [] }]);
}

async function imageOf(architecture: string, variant?: string): Promise<Image> {
  const platform = { os: "linux", architecture, ...(variant ? { variant } : {}) };
  const passwd = Buffer.from("nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n");
  const { content, diffId } = await layerOf([{ path: "etc/passwd", content: passwd }], "account");
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
