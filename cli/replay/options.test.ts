import { afterEach, expect, test, vi } from "vitest";
import { readReplayOptions } from "./options.ts";

afterEach(() => vi.unstubAllEnvs());

test("files are looked for where npm was called", () => {
  vi.stubEnv("INIT_CWD", "/home/alice");
  expect(readReplayOptions(["event.json", "--kubeconfig", "config", "--act"])).toEqual({
    saved: "event.json",
    act: true,
    namespace: "holdfast",
    kubeconfig: "/home/alice/config",
  });
});

test("help is all that was asked for", () => {
  expect(readReplayOptions(["--help"])).toBeUndefined();
});

test.each([
  [[], "Name one event: a file, or a key of ConfigMap holdfast-dead-letters."],
  [["one", "two"], "Name one event"],
  [["one", "--nope"], "Unknown option '--nope'. See npm run replay -- --help."],
])("%j is refused", (args, because) => {
  expect(() => readReplayOptions(args)).toThrow(because);
});
