import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const main = join(import.meta.dirname, "../main.ts");

const service = (image: string) => `# one\nspec:\n  image: ${image}\n`;
const release = "fn://pvc-protection/release";

test.each([
  ["an image has a digest", service("a/b@sha256:0"), 0, "No placeholder of an image is left.\n", ""],
  [
    "a placeholder is left",
    service(release),
    1,
    expect.stringContaining(`standard input:3: ${release}\nPut images`),
    "",
  ],
  ["nothing comes in", "", 2, "", "holdfast: There is no YAML in standard input.\n"],
  ["it is no YAML", "a: [", 2, "", expect.stringContaining("holdfast: standard input: ")],
])("check-images of a pipe, where %s, ends with its exit code", (_, input, status, stdout, stderr) => {
  const ran = spawnSync(process.execPath, [main, "check-images"], { input, encoding: "utf8" });
  expect(ran).toMatchObject({ status, stdout, stderr });
});

test("check-images of a file, for programs, names each line with a placeholder", () => {
  const file = join(import.meta.dirname, "../../knative/undelete/expire.yaml");
  const ran = spawnSync(process.execPath, [main, "check-images", file, "-o", "json"], { encoding: "utf8" });
  const at = expect.stringMatching(/expire\.yaml:\d+$/);
  expect([ran.status, JSON.parse(ran.stdout)]).toEqual([1, { unresolved: [{ at, value: "fn://undelete/expire" }] }]);
});
