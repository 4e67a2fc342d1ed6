import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { digestOf } from "../oci/descriptor.ts";
import { layerOf } from "./layer.ts";
import { type LayerFile, tarOf } from "./tar.ts";

const files: readonly LayerFile[] = [
  { path: "b/c", content: Buffer.from("c") },
  { path: "a/b", content: Buffer.from("b"), executable: true },
];

test("an archive does not depend on the order of files, nor on the rights and the clock of its maker", async () => {
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

test("any files in any order make one archive, and are what tar takes out of it", async () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9._-]{0,30}$/);
  const file = fc.record({
    path: fc.tuple(fc.constantFrom("", "x/", "x/y/", `${"long".repeat(30)}/`), name).map((parts) => parts.join("")),
    content: fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
  });
  // A path that is a file's cannot be a folder's as well.
  const some = fc
    .uniqueArray(file, { selector: ({ path }) => path, minLength: 1, maxLength: 5 })
    .filter((files) => !files.some(({ path }) => path === "x" || path === "x/y"));
  await fc.assert(
    fc.asyncProperty(some, async (files) => {
      const archive = await tarOf(files);
      expect(await tarOf(files.toReversed())).toEqual(archive);
      for (const { path, content } of files)
        expect(execFileSync("tar", ["xOf", "-", path], { input: archive })).toEqual(content);
    }),
    { numRuns: 10 },
  );
});

test("a layer's bytes are these, on every machine and with every Node", async () => {
  const { content, diffId } = await layerOf(files, "files");
  // If this fails after an update of tar-stream or fflate, every image gets another digest: say so in the change log.
  expect(diffId).toBe("sha256:7ce2a0eebfd70637d2f0e8d9b7d1e249a514f9ac36522c48d2a5d89ba9141712");
  expect(content.descriptor.digest).toBe("sha256:f8ec1cdb24c09dbc02741a2a1468f8517c5c26872a843db1b591c078d18dc3a5");
  // Enough for more than one block, and for matches at every distance.
  const long = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * at) % 251));
  expect(
    digestOf(
      Buffer.concat(await (await (await layerOf([{ path: "long", content: long }], "long")).content.open()).toArray()),
    ),
  ).toBe("sha256:68bce1e6728be5eddca854a1f7d904f5c5b2011b1ab003c48b8359068078e908");
});
