import { join } from "node:path";
import { expect, test } from "vitest";
import { runHoldfast } from "../../test/cli/run-holdfast.ts";

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
])("check-images of a pipe, where %s, ends with its exit code", async (_, input, code, out, err) => {
  expect(await runHoldfast(["check-images"], { input })).toEqual({ code, out, err });
});

test("check-images of a file, for programs, names each line with a placeholder", async () => {
  const file = join(import.meta.dirname, "../../knative/undelete/expire.yaml");
  const { code, out } = await runHoldfast(["check-images", file, "-o", "json"]);
  const at = expect.stringMatching(/expire\.yaml:\d+$/);
  expect([code, JSON.parse(out)]).toEqual([1, { unresolved: [{ at, value: "fn://undelete/expire" }] }]);
});
