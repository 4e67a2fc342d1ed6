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
  expect(repeatedIn(new Map(Object.entries({ one, other })))).toEqual([`one, other: ${sentence.slice(0, -1)}`]);
});

test("a short sentence is found as well, in a table too, and with another mark at its end", () => {
  const one =
    "| What | Why |\n| --- | --- |\n| It waits | A pod uses the claim. It waits until this pod has ended. |\n";
  const other = "It waits until this pod has ended:\n\n- one\n";
  expect(repeatedIn(new Map(Object.entries({ one, other })))).toEqual([
    "one, other: It waits until this pod has ended",
  ]);
});

test("code, headings, generated parts and phrases in tables may repeat", () => {
  const line = "Holdfast reads the object again, because an event may be old when it arrives.";
  const code = `\`\`\`sh\n${line}\n\`\`\``;
  const generated = `<!-- generated: x -->\n${line}\n<!-- end of x -->`;
  const command = "`npm run holdfast -- restore keep pvc-0f9e --for 7d`.";
  const phrase = `| ${line.slice(0, -1)} |`;
  const text = [`# ${line}`, phrase, code, `See: ${command}`, generated].join("\n\n");
  expect(repeatedIn(new Map(Object.entries({ one: text, other: text })))).toEqual([]);
});
