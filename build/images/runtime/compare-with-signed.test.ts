import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { tarOf } from "../layer/tar.ts";
import { compareWithSigned } from "./compare-with-signed.ts";

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

test("Node of an npm package is taken where its bytes are those of the signed archive", async () => {
  await compareWithSigned(program, published);
});

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
