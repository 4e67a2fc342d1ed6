import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeEmptyBase } from "../testing/empty-base.ts";
import { baseFromLayout } from "./from-layout.ts";

let folder = "";
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-base-"));
  await writeEmptyBase(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const amd64 = { os: "linux", architecture: "amd64" };

test("a base that lacks a platform says what it has", async () => {
  const base = baseFromLayout(folder, [{ os: "linux", architecture: "s390x" }]);
  await expect(base).rejects.toThrow("has no image for linux/s390x. It has: linux/amd64, linux/arm64.");
});

test("a base is named by its tag where a layout has more than one image", async () => {
  const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
  const [one] = index.manifests;
  const other = { ...one, annotations: { "org.opencontainers.image.ref.name": "other" } };
  writeFileSync(join(folder, "index.json"), JSON.stringify({ ...index, manifests: [one, other] }));
  await expect(baseFromLayout(folder, [amd64])).rejects.toThrow(/Say oci:.*:TAG\. There is: base, other\.$/);
  await expect(baseFromLayout(`${folder}:other`, [amd64])).resolves.toMatchObject({
    name: "other",
    digest: one.digest,
  });
});

test("a base whose bytes are others than its digest says is refused", async () => {
  const { manifests } = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
  const blob = join(folder, "blobs", ...manifests[0].digest.split(":"));
  writeFileSync(blob, readFileSync(blob, "utf8").replace("arm64", "arm65"));
  await expect(baseFromLayout(folder, [amd64])).rejects.toThrow("is damaged: sha256:");
});

test("a base that lacks a blob, and a folder that is none, are reported", async () => {
  const { manifests } = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
  rmSync(join(folder, "blobs", ...manifests[0].digest.split(":")));
  await expect(baseFromLayout(folder, [amd64])).rejects.toThrow(`has no ${manifests[0].digest}, which it names.`);
  await expect(baseFromLayout(join(folder, "blobs"), [amd64])).rejects.toThrow("The base is no OCI layout: ENOENT");
});
