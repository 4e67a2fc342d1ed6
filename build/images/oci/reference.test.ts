import { expect, test } from "vitest";
import { isLoopback, parseReference, parseRepository } from "./reference.ts";

const digest = `sha256:${"0".repeat(64)}`;

test.each([
  ["registry.test/a", { host: "registry.test", path: "a" }],
  ["localhost/a/b", { host: "localhost", path: "a/b" }],
  ["localhost:5000/a", { host: "localhost:5000", path: "a" }],
  ["[::1]:5000/a", { host: "[::1]:5000", path: "a" }],
  ["team/a", { host: "docker.io", path: "team/a" }],
  ["a", { host: "docker.io", path: "library/a" }],
  ["docker.io/a", { host: "docker.io", path: "library/a" }],
])("the repository %s", (text, repository) => expect(parseRepository(text)).toEqual(repository));

test.each([
  ["registry.test:5000/a/b:v1", { tag: "v1" }],
  [`registry.test:5000/a/b@${digest}`, { digest }],
  [`registry.test:5000/a/b:v1@${digest}`, { tag: "v1", digest }],
  ["registry.test:5000/a/b", {}],
])("the reference %s", (text, rest) =>
  expect(parseReference(text)).toEqual({ host: "registry.test:5000", path: "a/b", ...rest }),
);

test.each(["registry.test/", "registry.test/A", "registry.test/a//b", "a b", "", "registry.test/a-", "http://a/b"])(
  "%j is no repository",
  (text) => expect(() => parseRepository(text)).toThrow("is no repository"),
);

test("a tag that no registry takes, and a digest of another kind, are refused", () => {
  expect(() => parseReference("registry.test/a:.x")).toThrow("has a tag that no registry takes");
  expect(() => parseReference("registry.test/a@md5:0")).toThrow("has a digest that is not sha256:");
});

test("only this machine is this machine", () => {
  for (const host of ["localhost", "localhost:5000", "127.0.0.1:5000", "127.1.2.3", "[::1]:80"])
    expect(isLoopback(host)).toBe(true);
  for (const host of ["localhost.example", "127.0.0.1.example", "registry.test", "128.0.0.1", "[::2]"])
    expect(isLoopback(host)).toBe(false);
});
