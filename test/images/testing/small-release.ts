import { layerOf } from "../../../build/images/layer/layer.ts";
import { jsonContent } from "../../../build/images/oci/content.ts";
import { mediaTypes } from "../../../build/images/oci/descriptor.ts";
import { attachment, type Image, indexOf, type Release } from "../../../build/images/oci/image.ts";

/**
 * A release for two platforms whose images share one layer of `bytes` bytes and have one more of their own, and with
 * something attached to its index. Another `seed` makes another release.
 */
export async function smallRelease(name: string, bytes = 10_000, seed = 1): Promise<Release> {
  const shared = await layerOf([{ path: "shared", content: noise(bytes, seed) }], "shared");
  const images = await Promise.all(["amd64", "arm64"].map((architecture) => imageOf(architecture, [shared], name)));
  const index = indexOf(images, { "org.opencontainers.image.title": name });
  const statement = jsonContent({ about: name }, "application/vnd.in-toto+json");
  return { name, index, images, attached: [attachment(index.descriptor, statement, {})] };
}

async function imageOf(
  architecture: string,
  shared: readonly Awaited<ReturnType<typeof layerOf>>[],
  name: string,
): Promise<Image> {
  const own = await layerOf([{ path: "own", content: Buffer.from(`${name} on ${architecture}`) }], "own");
  const layers = [...shared, own];
  const platform = { os: "linux", architecture };
  const rootfs = { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) };
  const config = jsonContent({ ...platform, config: {}, rootfs }, mediaTypes.config);
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: config.descriptor,
    layers: layers.map(({ content }) => content.descriptor),
  };
  const blobs = [...layers.map(({ content }) => content), config];
  return { manifest: jsonContent(manifest, mediaTypes.manifest, { platform }), blobs };
}

/** Bytes that do not compress, and are the same every time. */
function noise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    // Marsaglia's xorshift.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state & 255;
  }
  return bytes;
}
