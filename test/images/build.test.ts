import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { baseFromLayout } from "../../build/images/base/from-layout.ts";
import { buildImage } from "../../build/images/build-image.ts";
import { layerOf } from "../../build/images/layer/layer.ts";
import { type LayerFile, tarOf } from "../../build/images/layer/tar.ts";
import { bytesOf } from "../../build/images/oci/content.ts";
import { findReferences } from "../../build/resolve/references.ts";
import { readSources } from "../../build/resolve/sources.ts";
import { functionNames } from "../../esbuild.config.mjs";
import { writeEmptyBase } from "./empty-base.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-images-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => writeEmptyBase(join(folder, "base")));

const files: readonly LayerFile[] = [
  { path: "b/c", content: Buffer.from("c") },
  { path: "a/b", content: Buffer.from("b"), executable: true },
];

test("an archive is the same whatever the order of files, and the rights and the clock of who makes it", async () => {
  const before = process.umask(0o077);
  const one = await tarOf(files);
  process.umask(before);
  expect(await tarOf(files.toReversed())).toEqual(one);
  const listed = execFileSync("tar", ["tvf", "-", "--numeric-owner", "--utc"], { input: one, encoding: "utf8" });
  const lines = listed
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/));
  expect(lines.map(([mode, owner, , day, , path]) => [mode, owner, day, path])).toEqual([
    ["drwxr-xr-x", "0/0", "1970-01-01", "a"],
    ["drwxr-xr-x", "0/0", "1970-01-01", "b"],
    ["-rwxr-xr-x", "0/0", "1970-01-01", "a/b"],
    ["-rw-r--r--", "0/0", "1970-01-01", "b/c"],
  ]);
});

test("an image keeps what the base sets for all, and sets what it is started as", async () => {
  const platform = { os: "linux", architecture: "arm64" };
  const { images } = await baseFromLayout(join(folder, "base"), [platform]);
  const layer = await layerOf(files, "files");
  const { manifest, blobs } = buildImage(images[0]!, [layer], {}, "1970-01-01T00:00:00.000Z");
  const { config, ...image } = JSON.parse((await bytesOf(blobs.at(-1)!)).toString());
  expect(image).toMatchObject({ ...platform, variant: "v8", rootfs: { diff_ids: [expect.anything(), layer.diffId] } });
  expect(config).toMatchObject({ User: "65532:65532", Entrypoint: ["/nodejs/bin/node", "/function/index.mjs"] });
  expect(config.Cmd).toBeUndefined();
  expect(config.Env).toEqual(["PATH=/nodejs/bin:/usr/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"]);
  expect(manifest.descriptor.platform).toEqual({ ...platform, variant: "v8" });
});

test("a base that lacks a platform says what it has", async () => {
  const base = baseFromLayout(join(folder, "base"), [{ os: "linux", architecture: "s390x" }]);
  await expect(base).rejects.toThrow("has no image for linux/s390x. It has: linux/amd64, linux/arm64.");
});

test("a layout has every blob under its digest, and no part of one", () => {
  const names = readdirSync(join(folder, "base/blobs/sha256"));
  expect(names.filter((name) => !/^[0-9a-f]{64}$/.test(name))).toEqual([]);
  const { manifests } = JSON.parse(readFileSync(join(folder, "base/index.json"), "utf8"));
  expect(names).toContain(manifests[0].digest.slice("sha256:".length));
});

test("what the repository installs names every function once, and optional parts are left where they are", async () => {
  const sources = await readSources(join(import.meta.dirname, "../../knative"), false);
  const names = sources.flatMap((source) => findReferences(source, functionNames()).map(({ name }) => name));
  expect(names.length).toBeGreaterThan(4);
  expect(new Set(names).size).toBe(names.length);
});
