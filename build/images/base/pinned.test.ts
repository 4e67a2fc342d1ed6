import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isDigest } from "../oci/descriptor.ts";
import { parseReference } from "../oci/reference.ts";
import { writeEmptyBase } from "../testing/empty-base.ts";
import { type FakeRegistry, fakeRegistry, surroundedBy } from "../testing/fake-registry.ts";
import { readPinned, updatePinned } from "./pinned.ts";

const both = ["amd64", "arm64"].map((architecture) => ({ os: "linux", architecture }));

let folder = "";
let pin: URL;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-pinned-"));
  pin = pathToFileURL(join(folder, "pinned.json"));
  writeFileSync(pin, JSON.stringify({ message: "it is", image: "registry.test/base:v1", digest: "sha256:old" }));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A registry that has a base under the tag, and the base's digest. */
async function registryWithBase(): Promise<{ registry: FakeRegistry; digest: string }> {
  const registry = fakeRegistry();
  await writeEmptyBase(join(folder, "layout"));
  const read = (name: string) => readFileSync(join(folder, "layout/blobs", ...name.split(":")));
  const [root] = JSON.parse(readFileSync(join(folder, "layout/index.json"), "utf8")).manifests;
  registry.manifests.set("v1", { bytes: read(root.digest), type: root.mediaType });
  for (const { digest, mediaType } of JSON.parse(read(root.digest).toString()).manifests) {
    registry.manifests.set(digest, { bytes: read(digest), type: mediaType });
    const { config } = JSON.parse(read(digest).toString());
    registry.blobs.set(config.digest, read(config.digest));
  }
  return { registry, digest: root.digest };
}

test("the pin of the repository names a tag to follow, a digest, and why", async () => {
  const { image, digest, message } = await readPinned();
  expect(parseReference(image).tag).toBeDefined();
  expect(isDigest(digest)).toBe(true);
  expect(message).not.toBe("");
});

test("the pin is moved to what the tag names now, and else stays as it is", async () => {
  const { registry, digest } = await registryWithBase();
  const { before, after } = await updatePinned(both, join(folder, "cache"), surroundedBy(registry), pin);
  expect(before.digest).toBe("sha256:old");
  expect(after).toEqual({ message: "it is", image: "registry.test/base:v1", digest });
  expect(readFileSync(pin, "utf8")).toBe(`${JSON.stringify(after, null, 2)}\n`);
});

test("the pin stays where it is when there is no such tag, or an image for a platform is missing", async () => {
  const text = readFileSync(pin, "utf8");
  const update = (registry: FakeRegistry, platforms = both) =>
    updatePinned(platforms, join(folder, "cache"), surroundedBy(registry), pin);
  await expect(update(fakeRegistry())).rejects.toThrow("There is no v1 in registry.test/base.");
  const { registry } = await registryWithBase();
  await expect(update(registry, [{ os: "linux", architecture: "riscv64" }])).rejects.toThrow(
    "The base registry.test/base:v1 has no image for linux/riscv64. It has: linux/amd64, linux/arm64.",
  );
  expect(readFileSync(pin, "utf8")).toBe(text);
});
