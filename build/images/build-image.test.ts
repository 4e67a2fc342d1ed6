import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { baseFromLayout } from "./base/from-layout.ts";
import { buildImage } from "./build-image.ts";
import { layerOf } from "./layer/layer.ts";
import { bytesOf } from "./oci/content.ts";
import { writeEmptyBase } from "./testing/empty-base.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-images-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => writeEmptyBase(folder));

test("an image keeps what the base sets for all, and sets what it is started as", async () => {
  const platform = { os: "linux", architecture: "arm64" };
  const { images } = await baseFromLayout(folder, [platform]);
  const layer = await layerOf([{ path: "a", content: Buffer.from("a") }], "files");
  const { manifest, blobs } = buildImage(images[0]!, [layer], {}, "1970-01-01T00:00:00.000Z");
  const { config, ...image } = JSON.parse((await bytesOf(blobs.at(-1)!)).toString());
  expect(image).toMatchObject({ ...platform, variant: "v8", rootfs: { diff_ids: [expect.anything(), layer.diffId] } });
  expect(config).toMatchObject({ User: "65532:65532", Entrypoint: ["/nodejs/bin/node", "/function/index.mjs"] });
  expect(config.Cmd).toBeUndefined();
  const own = ["NODE_OPTIONS=--max-semi-space-size=1", "MALLOC_ARENA_MAX=1", "MALLOC_MMAP_THRESHOLD_=32768"];
  expect(config.Env).toEqual(["PATH=/nodejs/bin:/usr/bin", ...own, "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"]);
  expect(manifest.descriptor.platform).toEqual({ ...platform, variant: "v8" });
});
