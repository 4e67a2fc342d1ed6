import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { headingId } from "../../build/docs/heading-id.ts";
import { root } from "./kustomization.ts";

const documents = globSync(["*.md", "{functions,knative,sources,local,docs,test,bench,eventing,console}/**/*.md"], {
  cwd: root,
}).sort();

test.each(documents)("the links in %s lead somewhere", (document) => {
  const text = readFileSync(join(root, document), "utf8");
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link as string);
  expect(links.filter((link) => !leadsSomewhere(document, link))).toEqual([]);
});

/** A file of the repository, and where the link names one, a heading in it. */
function leadsSomewhere(document: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const file = path ? resolve(root, dirname(document), path) : join(root, document);
  if (!existsSync(file)) return false;
  if (!anchor) return true;
  const headings = [...readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading as string);
  return headings.some((heading) => headingId(heading) === anchor);
}
