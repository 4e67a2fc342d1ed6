import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { readResolveOptions } from "./options.ts";

afterEach(() => vi.unstubAllEnvs());

const read = (command: "resolve" | "apply", line: string, environment: NodeJS.ProcessEnv = {}) =>
  readResolveOptions(command, line.split(" ").filter(Boolean), environment);

test("flags are what users of kubectl and ko expect", () => {
  expect(read("resolve", "-f a.yaml -f b -R -l a=b --repo registry.test/x --platform linux/arm64")).toEqual({
    files: ["a.yaml", "b"],
    recursive: true,
    selector: "a=b",
    build: { platforms: [{ os: "linux", architecture: "arm64" }], sbom: true, insecure: false },
    target: { repository: { host: "registry.test", path: "x" }, tag: "latest" },
    rest: [],
  });
  expect(read("apply", "-k dir -- --server-side -f x", { HOLDFAST_REPO: "registry.test/x" })).toMatchObject({
    files: [],
    kustomization: "dir",
    rest: ["--server-side", "-f", "x"],
  });
  expect(read("apply", "--help")).toBeUndefined();
});

test("to check takes no registry, and is for resolve alone", () => {
  expect(read("resolve", "--check -f - -l a=b")).toEqual({
    files: ["-"],
    recursive: false,
    selector: "a=b",
    check: true,
  });
  expect(() => read("resolve", "--check")).toThrow("Say what to read: ");
  expect(() => read("apply", "--check -f -")).toThrow("--check");
});

test("paths are those of the folder where npm was called; what is none there is kubectl's to understand", () => {
  vi.stubEnv("INIT_CWD", import.meta.dirname);
  const from = (line: string) => read("resolve", `${line} --repo registry.test/x`);
  expect(from("-f options.ts -f -")?.files).toEqual([join(import.meta.dirname, "options.ts"), "-"]);
  expect(from("-k ..")?.kustomization).toBe(join(import.meta.dirname, ".."));
  const address = "https://github.com/example/a//b?ref=c";
  expect(from(`-k ${address}`)?.kustomization).toBe(address);
});

test.each([
  ["resolve", "--repo registry.test/x", "Say what to read: -f PATH, as often as you like, or -k DIR."],
  ["resolve", "-f a -k b --repo registry.test/x", "Say what to read: "],
  ["resolve", "-f a --repo registry.test/x -- --server-side", "What stands after -- is for npm run apply."],
  ["resolve", "-f a", "Say where to push to: --repo HOST/PATH"],
  ["apply", "-f a --repo registry.test/x --server-side", "--server-side"],
  ["apply", "a.yaml --repo registry.test/x", "a.yaml"],
] as const)("%s %s is refused", (command, line, message) => expect(() => read(command, line)).toThrow(message));
