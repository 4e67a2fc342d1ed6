import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { findUnresolved } from "../../shared/command/find-unresolved.ts";
import { findReferences, putImages, selectDocuments } from "./references.ts";

const image = `registry.example/holdfast/a/b@sha256:${"0".repeat(64)}`;
const functions = ["a/b"];

test("an image takes the place of a reference, and nothing else of the text changes", () => {
  const text =
    `# fn://a/b in a comment\na:   fn://a/b   # why\nb: [ "fn://a/b", 'fn://a/b' ]\n---\nfn://a/b: ` +
    "|\n  not at fn://a/b\n";
  const found = findReferences({ origin: "a.yaml", text }, functions);
  expect(putImages(text, found, new Map([["a/b", image]]))).toBe(
    `# fn://a/b in a comment\na:   ${image}   # why\nb: [ "${image}", '${image}' ]\n---\nfn://a/b: ` +
      "|\n  not at fn://a/b\n",
  );
});

test("a reference to nothing is reported with its file and line", () => {
  const text = "a: 1\n---\n\nb:\n  image: fn://a/c\n";
  expect(() => findReferences({ origin: "a.yaml", text }, functions)).toThrow(
    "a.yaml:5: there is no function for fn://a/c",
  );
});

test("what is left is found with its line, a function's or not, and what only speaks of it is not", () => {
  const text =
    `# fn://a/b\na: fn://a/b\nb: ${image}\nannotation: "image: fn://a/b"\nc:\n  - |\n    ` +
    "fn://no/such\n---\nfn://a/b: 1\n";
  expect(findUnresolved({ origin: "a.yaml", text })).toEqual([
    { at: "a.yaml:2", value: "fn://a/b" },
    { at: "a.yaml:6", value: "fn://no/such" },
  ]);
  expect(findUnresolved({ origin: "a.yaml", text: `image: ${image}\n` })).toEqual([]);
});

test("a reference in a text of its own lines is reported, because an image would not fit in there", () => {
  expect(() => findReferences({ origin: "a.yaml", text: "a: |\n  fn://a/b\n" }, functions)).toThrow(
    "a.yaml:1: what begins with fn:// must stand on one line with its key.",
  );
});

test("YAML that cannot be read is reported with its file", () =>
  expect(() => findReferences({ origin: "a.yaml", text: "a: [" }, functions)).toThrow(/^a\.yaml: .*line 1/));

test("a selector keeps documents as they are written, or leaves them out", () => {
  const text = "---\n# one\nmetadata:\n  labels: {a: b} # x\n---\nmetadata: {labels: {a: c}}\n---\nmetadata: {}\n";
  expect(selectDocuments({ origin: "a.yaml", text }, "a=b").text).toContain("labels: {a: b} # x\n");
  expect(selectDocuments({ origin: "a.yaml", text }, "a=b").text).not.toContain("a: c");
  expect(selectDocuments({ origin: "a.yaml", text }, "!a").text).toBe("metadata: {}\n");
  expect(() => selectDocuments({ origin: "a.yaml", text }, "a in (")).toThrow("--selector");
});

/**
 * YAML as people write it: comments, quotes, blank lines, flow and block collections, long texts, several documents,
 * CRLF.
 */
const yaml = (() => {
  const reference = fc.constantFrom("fn://a/b", "fn://a/c");
  const plain = fc.constantFrom("x", "1", "a fn://a/b", "fn:/a", '"fn: //"', "''", "no#comment", "'# fn://a/b'", "~");
  const quoted = reference.chain((name) => fc.constantFrom(name, `"${name}"`, `'${name}'`));
  const value = fc.oneof(
    { weight: 3, arbitrary: quoted },
    { weight: 3, arbitrary: plain },
    fc
      .array(
        fc.oneof(
          quoted,
          plain.filter((text) => !text.includes("~")),
        ),
        { maxLength: 3 },
      )
      .map((items) => `[${items.join(" ,  ")}]`),
    fc.tuple(fc.stringMatching(/^[a-z]$/), quoted).map(([key, text]) => `{ ${key}: ${text} }`),
    fc.constant("|\n    of fn://a/b in a text\n\n    fn://a/b"),
    fc.constant(">-\n    folded\n    fn://a/x"),
  );
  const after = fc.constantFrom("", "  # fn://a/b", "\t# why", " ", "\n", "\n\n# alone: fn://no/such");
  const line = fc.tuple(fc.constantFrom(":", ":   "), value, after).map(([colon, text, rest]) => {
    // Nothing can stand after a text of several lines.
    const colonOrSpace = colon === ":" ? ": " : colon;
    return text.startsWith("|") || text.startsWith(">") ? `${colonOrSpace}${text}` : `${colonOrSpace}${text}${rest}`;
  });
  const document = fc
    .array(line, { minLength: 1, maxLength: 6 })
    .map((lines) => lines.map((rest, index) => `key${index}${rest}\n`).join(""));
  const documents = fc.array(document, { minLength: 1, maxLength: 3 }).map((all) => `# first\n${all.join("---\n")}`);
  return fc.tuple(documents, fc.boolean()).map(([text, crlf]) => (crlf ? text.replaceAll("\n", "\r\n") : text));
})();

test("of any YAML all references are taken, and every other byte stays", () => {
  const known = ["a/b", "a/c"];
  const images = new Map(known.map((name) => [name, `registry.example:5000/${name}@sha256:${"1".repeat(64)}`]));
  const values = (text: string) => parseAllDocuments(text).map((document) => document.toJS() as unknown);
  const swap = (value: unknown): unknown => {
    if (typeof value === "string") return images.get(value.replace(/^fn:\/\//, "")) ?? value;
    if (Array.isArray(value)) return value.map(swap);
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, swap(inner)]));
    return value;
  };
  let taken = 0;
  fc.assert(
    fc.property(yaml, (text) => {
      const found = findReferences({ origin: "a.yaml", text }, known);
      const result = putImages(text, found, images);
      // What it means is what it meant, but for the references ...
      expect(values(result)).toEqual(values(text).map(swap));
      // ... and what is written is what was written.
      let back = result;
      for (const { name } of found) back = back.replace(images.get(name)!, `fn://${name}`);
      expect(back).toBe(text);
      taken += found.length;
    }),
    { numRuns: 300 },
  );
  expect(taken).toBeGreaterThan(100);
});

test("a reference to nothing is reported with its line wherever it stands", () => {
  fc.assert(
    fc.property(fc.nat(50), fc.nat(5), (before, documents) => {
      const text = `${"a: 1\n---\n".repeat(documents)}${"# fn://no/such\n".repeat(before)}b: fn://no/such\n`;
      const line = 2 * documents + before + 1;
      expect(() => findReferences({ origin: "a.yaml", text }, functions)).toThrow(`a.yaml:${line}: `);
    }),
  );
});
