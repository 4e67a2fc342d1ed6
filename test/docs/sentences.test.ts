import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../manifests/kustomization.ts";
import { repeatedIn } from "./sentences.ts";

// The changelog repeats what the upgrade guide asks for.
const documents = globSync(
  ["{README,CONTRIBUTING,SECURITY}.md", "{docs,functions,knative,sources,eventing,local,bench,test}/**/*.md"],
  { cwd: root },
);

test("no sentence stands in two documents: one of them links to the other", () => {
  expect(documents.length).toBeGreaterThan(100);
  expect(repeatedIn(new Map(documents.map((path) => [path, readFileSync(join(root, path), "utf8")])))).toEqual([]);
});

test("a sentence that another document repeats, with other line breaks and links, is found", () => {
  const sentence = "Holdfast reads the object again, because an event may be old when it arrives.";
  const one = `# One\n\nFirst. ${sentence} Last.\n`;
  const other = `- ${sentence.replace("the object", "[the object](one.md#a)").replace("because", "because\n ")}\n`;
  expect(repeatedIn(new Map(Object.entries({ one, other })))).toEqual([`one, other: ${sentence}`]);
});

test("code, tables, headings and generated parts may repeat", () => {
  const line = "Holdfast reads the object again, because an event may be old when it arrives.";
  const code = `\`\`\`sh\n${line}\n\`\`\``;
  const generated = `<!-- generated: x -->\n${line}\n<!-- end of x -->`;
  const text = [`# ${line}`, `| ${line} |`, code, generated].join("\n\n");
  expect(repeatedIn(new Map(Object.entries({ one: text, other: text })))).toEqual([]);
});
