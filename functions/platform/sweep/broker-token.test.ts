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

const signIn = (url: string, folder = tokens) =>
  authorization(url, { tokens: folder, tokenHosts: ["broker.example", "kafka.example:8080"] });

test("another host is shown no token, and a port belongs to the host", async () => {
  for (const host of ["evil.example", "broker.example.evil.example", "broker.example:81", "kafka.example"])
    expect(await signIn(`http://${host}/holdfast/storage`)).toEqual({});
  expect(await signIn("http://kafka.example:8080/holdfast/storage")).toHaveProperty("authorization");
  expect(await signIn("http://broker.example@evil.example/holdfast/storage")).toEqual({});
});

test("a broker is shown the token at the path of its address", async () => {
  expect(await signIn("http://broker.example/holdfast/storage")).toEqual({
    authorization: "Bearer one.two.three",
  });
});

test("a broker without a token is shown none, and no broker is where there is no folder", async () => {
  expect(await signIn("http://broker.example/holdfast/workloads")).toEqual({});
  expect(await signIn("http://broker.example/holdfast/storage", "")).toEqual({});
});

test("a token that cannot be read is not passed over", () =>
  expect(signIn("http://broker.example/holdfast")).rejects.toThrow("EISDIR"));

test("no address leads out of the folder", async () => {
  for (const path of ["../secret", "%2e%2e/secret", "holdfast/../../secret"])
    expect(await signIn(`http://broker.example/${path}`)).toEqual({});
});
