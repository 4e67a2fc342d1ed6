import { afterEach, expect, test, vi } from "vitest";
import { readImageOptions } from "./options.ts";

afterEach(() => vi.unstubAllEnvs());

const functions = ["a/b", "a/c"];
const read = (line: string, environment: NodeJS.ProcessEnv = {}) =>
  readImageOptions(line.split(" ").filter(Boolean), functions, environment);

const both = [
  { os: "linux", architecture: "amd64" },
  { os: "linux", architecture: "arm64" },
];

test("all functions are built for all platforms unless some are named, in the order that they always have", () => {
  expect(read("--tarball x")).toEqual({
    task: "build",
    functions,
    build: { platforms: both, sbom: true, insecure: false },
    destination: { tarball: "x" },
  });
  expect(read("a/c a/b --tarball x --platform linux/arm64")).toMatchObject({
    functions,
    build: { platforms: [both[1]] },
  });
  expect(read("a/c --oci-layout x --platform linux/arm64,linux/amd64,linux/arm64 --sbom none --base oci:y")).toEqual({
    task: "build",
    functions: ["a/c"],
    build: { platforms: [both[1], both[0]], sbom: false, insecure: false, base: "oci:y" },
    destination: { layout: "x" },
  });
});

test("images go where the flag says, or the environment", () => {
  const repository = { host: "registry.test:5000", path: "team/holdfast" };
  expect(read("--push --repo registry.test:5000/team/holdfast/ --tag v1")).toMatchObject({
    destination: { push: { repository, tag: "v1" } },
  });
  expect(read("--push --insecure-registry", { HOLDFAST_REPO: "registry.test:5000/team/holdfast" })).toMatchObject({
    build: { insecure: true },
    destination: { push: { repository, tag: "latest" } },
  });
});

test("help, and a newer base, need nothing else", () => {
  expect(read("--help")).toEqual({ task: "help" });
  expect(read("--update-base --insecure-registry")).toEqual({ task: "update base", platforms: both, insecure: true });
});

test.each([
  ["", "Say where the images go: one of --push, --oci-layout DIR and --tarball FILE."],
  ["--tarball x --oci-layout y", "Say where the images go: one of"],
  ["--push --repo registry.test/x --tarball x", "Say where the images go: one of"],
  ["--push", "Say where to push to: --repo HOST/PATH, or HOLDFAST_REPO in the environment."],
  ["--push --repo registry.test/X", '"registry.test/X" is no repository'],
  ["--push --repo registry.test/x --tag a/b", '--tag takes what a registry takes as a tag, not "a/b".'],
  [
    "--tarball x --platform linux/s390x",
    '--platform takes linux/amd64, linux/arm64, with commas between, not "linux/s390x".',
  ],
  ["--tarball x --platform linux/amd64,", 'with commas between, not "".'],
  ["--tarball x --sbom cyclonedx", '--sbom is spdx or none, not "cyclonedx".'],
  ["--tarball x a/d a/b", "There is no function a/d. There are: a/b, a/c."],
  ["--tarball x --no-such", "'--no-such'"],
  ["--tarball", "--tarball"],
])("%s is refused", (line, message) => expect(() => read(line)).toThrow(message));

test("paths are those of the folder where npm was called", () => {
  vi.stubEnv("INIT_CWD", "/home/alice");
  expect(read("--oci-layout x --base oci:y:z")).toMatchObject({
    destination: { layout: "/home/alice/x" },
    build: { base: "oci:/home/alice/y:z" },
  });
  expect(read("--tarball x --base registry.test/y")).toMatchObject({
    destination: { tarball: "/home/alice/x" },
    build: { base: "registry.test/y" },
  });
});
