import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { contentOf, jsonContent } from "../oci/content.ts";
import { digestOf, mediaTypes } from "../oci/descriptor.ts";
import { attachment, indexOf, type Release } from "../oci/image.ts";
import { writeLayout } from "./write-layout.ts";
import { writeTarball } from "./write-tarball.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-layout-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One image with one layer, and something attached to it. */
function release(name: string, layer = contentOf(Buffer.from(name), mediaTypes.layer)): Release {
  const manifest = { schemaVersion: 2, mediaType: mediaTypes.manifest, layers: [layer.descriptor] };
  const image = { manifest: jsonContent(manifest, mediaTypes.manifest), blobs: [layer] };
  const index = indexOf([image], {});
  const bill = jsonContent({ name }, "application/spdx+json");
  return { name, index, images: [image], attached: [attachment(index.descriptor, bill, {})] };
}

/** A layer that cannot be read to its end. */
const broken = {
  descriptor: { mediaType: mediaTypes.layer, digest: digestOf(Buffer.from("x")), size: 1_000_000 },
  open: async () =>
    Readable.from(
      (async function* () {
        yield Buffer.alloc(1000);
        throw new Error("ENOSPC: no space left on device, write");
      })(),
    ),
};

const tags = (index: string) =>
  JSON.parse(index).manifests.flatMap(
    ({ annotations }: { annotations?: Record<string, string> }) =>
      annotations?.["org.opencontainers.image.ref.name"] ?? [],
  );

test("a layout has every blob under its digest, no part of one, and each release under its name", async () => {
  await writeLayout(folder, [release("a/b"), release("a/c")]);
  for (const name of readdirSync(join(folder, "blobs/sha256")))
    expect(digestOf(readFileSync(join(folder, "blobs/sha256", name)))).toBe(`sha256:${name}`);
  expect(tags(readFileSync(join(folder, "index.json"), "utf8"))).toEqual(["a-b", "a-c"]);
});

test("what goes wrong leaves the images that a layout has", async () => {
  await writeLayout(folder, [release("a/b")]);
  const before = readFileSync(join(folder, "index.json"), "utf8");
  await expect(writeLayout(folder, [release("a/c", broken)])).rejects.toThrow(
    `The layout ${folder} could not be written: ENOSPC: no space left on device, write.`,
  );
  expect(readFileSync(join(folder, "index.json"), "utf8")).toBe(before);
  expect(readdirSync(join(folder, "blobs/sha256")).filter((name) => name.includes(".part"))).toEqual([]);
});

test("a folder that holds something else is left alone", async () => {
  writeFileSync(join(folder, "thesis.txt"), "");
  await expect(writeLayout(folder, [release("a/b")])).rejects.toThrow("is not empty and no OCI layout");
  expect(readdirSync(folder)).toEqual(["thesis.txt"]);
});

test("an archive of a layout has the bytes of the layout, whichever program makes it", async () => {
  const [one, other, layout] = ["one.tar", "other.tar", "layout"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeTarball(one, [release("a/b")]);
  const before = process.umask(0o077);
  await writeTarball(other, [release("a/b")]);
  process.umask(before);
  expect(readFileSync(other)).toEqual(readFileSync(one));
  mkdirSync(join(folder, "unpacked"));
  execFileSync("tar", ["xf", one, "-C", join(folder, "unpacked")]);
  await writeLayout(layout, [release("a/b")]);
  const names = readdirSync(layout, { recursive: true, encoding: "utf8" }).sort();
  expect(readdirSync(join(folder, "unpacked"), { recursive: true, encoding: "utf8" }).sort()).toEqual(names);
  for (const name of names.filter((name) => statSync(join(layout, name)).isFile()))
    expect(readFileSync(join(folder, "unpacked", name))).toEqual(readFileSync(join(layout, name)));
});

test("an archive is there when it is whole, or not at all", async () => {
  const file = join(folder, "images.tar");
  await expect(writeTarball(file, [release("a/c", broken)])).rejects.toThrow(
    `The archive ${file} could not be written: ENOSPC: no space left on device, write.`,
  );
  expect(readdirSync(folder)).toEqual([]);
});
