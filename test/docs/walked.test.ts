import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../manifests/kustomization.ts";
import { sections } from "../processes/guide-sections.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Tests that run sections of pages name them, a page and a heading each. */
const walks = globSync("test/cluster/walk/*.test.ts", { cwd: root }).map((path) => {
  const text = read(path);
  return text.includes("checkThatItWorks(") ? text + read("test/cluster/walk/check-that-it-works.ts") : text;
});

/** Sections whose commands no test runs as they stand, and why. A page alone stands for all its sections. */
const others: Readonly<Record<string, string>> = {
  "docs/command-line.md": "Reference: tests of test/cli run each command.",
  "docs/images.md": "Tests of test/images build, push and check images with registries and tools of others.",
  "docs/install.md": "There is no release yet: test/release makes one twice, and renders and installs its chart.",
  "docs/laptop.md": "local/start/tours.test.ts plays the tours.",
  "docs/console.md: On your own machine": "It runs until Ctrl-C: test/cluster/console.test.ts starts it.",
  "docs/console.md: The pictures on these pages": "It takes the pictures.",
  "docs/eviction.md: The account": "The stand-in for OpenStack has no such commands.",
  "docs/gitops.md: Without Knative": "Images are neither built nor pulled here.",
  "docs/volumes.md: A node that is gone": "The laptop edition has one node: test/scenarios/volume loses one.",
  "docs/tune.md: Filters of Triggers":
    "They only look: test/scenarios/edited-filters.test.ts has filters like this one.",
  "docs/install-knative.md: What it needs": "Knative is not there: test/cli/preflight.test.ts looks at clusters.",
  "docs/who-may-do-what.md: Triggers of your own with oidc": "It shows a status that only Knative writes.",
  "docs/install-without-knative.md: What it needs": "test/cli/preflight.test.ts looks at clusters.",
};

interface Block {
  readonly page: string;
  /** The headings above it, innermost last. */
  readonly headings: readonly string[];
}

/** The blocks of commands of a page that are for a shell. `text` is for what a reader fills in first. */
function commandsOf(page: string, text: string): readonly Block[] {
  const blocks: Block[] = [];
  let headings: readonly (readonly [depth: number, title: string])[] = [];
  let isOpen = false;
  for (const line of text.split("\n")) {
    const [, fence] = /^ *```(.*)$/.exec(line) ?? [];
    const [, marks = "", title = ""] = (!isOpen && /^(#+) (.*)$/.exec(line)) || [];
    if (marks) headings = [...headings.filter(([depth]) => depth < marks.length), [marks.length, title]];
    if (fence === undefined) continue;
    if (!isOpen && fence === "sh") blocks.push({ page, headings: headings.map(([, heading]) => heading) });
    isOpen = !isOpen;
  }
  return blocks;
}

/** Walks name no title of a page: a heading of another page may have the same words. */
const isNamed = (page: string, heading: string, depth: number) =>
  sections.some((one) => one.page === page && one.heading === heading) ||
  (depth > 0 && walks.some((walk) => [page, heading].every((name) => walk.includes(`"${name}"`))));

const blocks = globSync("docs/*.md", { cwd: root }).flatMap((page) => commandsOf(page, read(page)));
const keysOf = ({ page, headings }: Block) => [page, ...headings.map((heading) => `${page}: ${heading}`)];

test("a test runs the commands of each guide, or it is written down here why not", () => {
  const left = blocks
    .filter(({ page, headings }) => !headings.some((heading, depth) => isNamed(page, heading, depth)))
    .filter((block) => !keysOf(block).some((key) => key in others));
  expect(blocks.length).toBeGreaterThan(80);
  expect(left.map((block) => keysOf(block).at(-1))).toEqual([]);
});

test("nothing is written down of commands that are not there", () => {
  const keys = new Set(blocks.flatMap(keysOf));
  expect(Object.keys(others).filter((key) => !keys.has(key))).toEqual([]);
});

test("a command is found below the headings that it stands under", () => {
  const text =
    "# A\n\n## B\n\n```sh\n# no heading\nls\n```\n\n### C\n\n   ```sh\n   ls\n   ```\n\n## D\n\n```text\nls X\n```\n";
  expect(commandsOf("docs/a.md", text).map(({ headings }) => headings)).toEqual([
    ["A", "B"],
    ["A", "B", "C"],
  ]);
});
