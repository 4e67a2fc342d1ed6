import { execFileSync } from "node:child_process";
import { globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { gzipOf } from "../../build/images/layer/gzip.ts";
import { layerOf } from "../../build/images/layer/layer.ts";
import { contentOf, jsonContent } from "../../build/images/oci/content.ts";
import { digestOf, mediaTypes } from "../../build/images/oci/descriptor.ts";
import { type Image, indexOf, type Release } from "../../build/images/oci/image.ts";
import { writeLayout } from "../../build/images/output/write-layout.ts";

/** The libraries that Node needs. */
const packages = ["libc6", "libgcc-s1", "libstdc++6"];

/**
 * Writes a base for images to an OCI layout: for this machine's platform of Debian's own packages, a layer each, as
 * distroless does; for the other one with nothing in it that could run. Throws where there is no apt.
 */
export async function writeDebianBase(folder: string, downloads: string): Promise<void> {
  mkdirSync(downloads, { recursive: true });
  execFileSync("apt-get", ["download", "--quiet", ...packages], { cwd: downloads, stdio: "pipe" });
  const layers = await Promise.all(
    globSync("*.deb", { cwd: downloads })
      .sort()
      .map(async (file) => {
        const tar = execFileSync("dpkg-deb", ["--fsys-tarfile", join(downloads, file)], { maxBuffer: 2 ** 28 });
        return { tar, gzip: await gzipOf(tar) };
      }),
  );
  await writeBase(folder, [await account(), ...layers]);
}

/** Writes a base in which nothing can run, for tests that only look at images. */
export async function writeEmptyBase(folder: string): Promise<void> {
  await writeBase(folder, [await account()]);
}

interface Archive {
  readonly tar: Buffer;
  readonly gzip: Buffer;
}

async function writeBase(folder: string, own: readonly Archive[]): Promise<void> {
  const foreign = [await account()];
  const [amd64, arm64] = process.arch === "arm64" ? [foreign, own] : [own, foreign];
  const images = [baseImage("amd64", amd64), baseImage("arm64", arm64, "v8")];
  const base: Release = { name: "base", index: indexOf(images, {}), images, attached: [] };
  await writeLayout(folder, [base]);
}

function baseImage(architecture: string, archives: readonly Archive[], variant?: string): Image {
  const platform = { os: "linux", architecture, ...(variant ? { variant } : {}) };
  const diff_ids = archives.map(({ tar }) => digestOf(tar));
  const environment = ["PATH=/usr/local/bin:/usr/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"];
  const settings = { Env: environment, Entrypoint: ["/bin/sh"], Cmd: ["-c"], User: "0" };
  const config = jsonContent(
    { ...platform, config: settings, rootfs: { type: "layers", diff_ids } },
    mediaTypes.config,
  );
  const layers = archives.map(({ gzip }) => contentOf(gzip, mediaTypes.layer));
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: config.descriptor,
    layers: layers.map(({ descriptor }) => descriptor),
  };
  return { manifest: jsonContent(manifest, mediaTypes.manifest, { platform }), blobs: [...layers, config] };
}

async function account(): Promise<Archive> {
  const passwd = Buffer.from(
    "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n",
  );
  const { content, diffId } = await layerOf([{ path: "etc/passwd", content: passwd }], "account");
  const gzip = Buffer.concat(await (await content.open()).toArray());
  const { gunzipSync } = await import("node:zlib");
  const tar = gunzipSync(gzip);
  if (digestOf(tar) !== diffId) throw new Error("A layer is not what its diff id says.");
  return { tar, gzip };
}
