import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authorization } from "./broker-token.ts";

const home = mkdtempSync(join(tmpdir(), "holdfast-tokens-"));
const tokens = join(home, "tokens");
beforeAll(() => {
  mkdirSync(join(tokens, "holdfast"), { recursive: true });
  writeFileSync(join(tokens, "holdfast/storage"), "one.two.three\n");
  writeFileSync(join(home, "secret"), "secret");
});
afterAll(() => rmSync(home, { recursive: true }));

test("a broker is shown the token at the path of its address", async () => {
  expect(await authorization("http://broker.example/holdfast/storage", tokens)).toEqual({
    authorization: "Bearer one.two.three",
  });
});

test("a broker without a token is shown none, and nobody is where there is no folder", async () => {
  expect(await authorization("http://broker.example/holdfast/workloads", tokens)).toEqual({});
  expect(await authorization("http://broker.example/holdfast/storage", "")).toEqual({});
});

test("a token that cannot be read is not passed over", async () => {
  await expect(authorization("http://broker.example/holdfast", tokens)).rejects.toThrow("EISDIR");
});

test("no address leads out of the folder", async () => {
  for (const path of ["../secret", "%2e%2e/secret", "holdfast/../../secret"])
    expect(await authorization(`http://broker.example/${path}`, tokens)).toEqual({});
});
