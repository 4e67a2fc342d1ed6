import { expect, test } from "vitest";
import { navigationOf } from "../../build/docs/navigation.ts";
import { readPages } from "../../build/docs/pages.ts";
import { root } from "../manifests/kustomization.ts";

const documents = readPages(root)
  .filter(({ isDocument }) => isDocument)
  .map(({ source }) => source);

test("a document that the menu names and that is not there fails the build of the site", () => {
  const others = documents.filter((one) => one !== "docs/rules.md");
  expect(() => navigationOf(others)).toThrow("The menu names docs/rules.md, which does not exist.");
});

test("every document of docs/ is in the menu, in one group", () => {
  const inMenu = navigationOf(documents).flatMap((group) => group.documents);
  const ofDocs = documents.filter((one) => one.startsWith("docs/"));
  expect(inMenu.filter((one) => one.startsWith("docs/")).sort()).toEqual(ofDocs.sort());
});
