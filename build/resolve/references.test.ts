import { expect, test } from "vitest";
import { findReferences, putImages, selectDocuments } from "./references.ts";

const image = `registry.example/holdfast/a/b@sha256:${"0".repeat(64)}`;
const functions = ["a/b"];

test("an image takes the place of a reference, and nothing else of the text changes", () => {
  const text = `# fn://a/b in a comment\na:   fn://a/b   # why\nb: [ "fn://a/b", 'fn://a/b' ]\n---\nfn://a/b: |\n  not at fn://a/b\n`;
  const found = findReferences({ origin: "a.yaml", text }, functions);
  expect(putImages(text, found, new Map([["a/b", image]]))).toBe(
    `# fn://a/b in a comment\na:   ${image}   # why\nb: [ "${image}", '${image}' ]\n---\nfn://a/b: |\n  not at fn://a/b\n`,
  );
});

test("a reference to nothing is told with its file and line", () => {
  const text = "a: 1\n---\n\nb:\n  image: fn://a/c\n";
  expect(() => findReferences({ origin: "a.yaml", text }, functions)).toThrow(
    "a.yaml:5: there is no function for fn://a/c",
  );
});

test("YAML that cannot be read is told with its file", () => {
  expect(() => findReferences({ origin: "a.yaml", text: "a: [" }, functions)).toThrow(/^a\.yaml: .*line 1/);
});

test("a selector keeps documents as they are written, or leaves them out", () => {
  const text = "---\n# one\nmetadata:\n  labels: {a: b} # x\n---\nmetadata: {labels: {a: c}}\n---\nmetadata: {}\n";
  expect(selectDocuments({ origin: "a.yaml", text }, "a=b").text).toContain("labels: {a: b} # x\n");
  expect(selectDocuments({ origin: "a.yaml", text }, "a=b").text).not.toContain("a: c");
  expect(selectDocuments({ origin: "a.yaml", text }, "!a").text).toBe("metadata: {}\n");
  expect(() => selectDocuments({ origin: "a.yaml", text }, "a in (")).toThrow("--selector");
});
