import { Document, isMap, isSeq, type Node, type Pair, type Scalar } from "yaml";

/** A comment above the entry at a path of an object. */
export interface Comment {
  readonly at: readonly (string | number)[];
  readonly text: string;
}

/** An object as YAML that readers of YAML 1.1, as kubectl and kustomize are, and of YAML 1.2 understand alike. */
export function toYaml(object: object, comments: readonly Comment[] = []): string {
  const document = new Document(object, { version: "1.1", aliasDuplicateObjects: false });
  for (const { at, text } of comments) nodeAt(document, at).commentBefore = text.replaceAll(/^/gm, " ");
  return document.toString({ lineWidth: 0 });
}

/** A generated file: a line that says by what it was made, what there is to say about all of it, and its documents. */
export function toFile(origin: string, documents: readonly string[], about = ""): string {
  const comment = about ? `${wrap(about, 118).replaceAll(/^/gm, "# ")}\n` : "";
  return `${headerOf(origin)}\n${comment}${documents.join("---\n")}`;
}

const mark = "# Generated from ";

const headerOf = (origin: string) =>
  `${mark}${origin} by "npm run manifests". Edit there, or patch it from an overlay.`;

/** Whether the text of a file says that it is generated. */
export function isGenerated(text: string): boolean {
  return text.startsWith(mark);
}

/** Breaks a text into lines of at most `width` characters, between words. */
export function wrap(text: string, width: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line += line ? ` ${word}` : word;
  }
  return [...lines, line].join("\n");
}

/** Where a comment goes: the key of a map's entry, or the element of a list. */
function nodeAt(document: Document, at: readonly (string | number)[]): Node {
  const key = at.at(-1);
  const parent = document.getIn(at.slice(0, -1));
  const node = isMap(parent)
    ? (parent.items as Pair<Scalar>[]).find((pair) => pair.key.value === key)?.key
    : isSeq(parent)
      ? (parent.items[key as number] as Node | undefined)
      : undefined;
  if (!node) throw new Error(`There is nothing at ${at.join("/")} to comment on.`);
  return node;
}
