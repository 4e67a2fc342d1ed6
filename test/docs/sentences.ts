/** What is no prose: generated blocks, comments, code and headings. */
const noProse = [
  /<!-- generated: (\S+) -->[\s\S]*?<!-- end of \1 -->/g,
  /<!--[\s\S]*?-->/g,
  /^ *(```|~~~)[\s\S]*?^ *\1$/gm,
  /^#.*$/gm,
];

/** The sentences of a document, without line breaks, emphasis, and where its links lead. */
function sentencesOf(document: string): readonly string[] {
  const prose = noProse
    .reduce((text, form) => text.replaceAll(form, "\n\n"), document)
    .replaceAll(/^ *\|.*$/gm, sentencesInRow)
    .replaceAll(/^ *(?:[-*]|\d+\.) /gm, "\n\n")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/\[|\]|\*\*/g, "");
  return prose
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim())
    .flatMap((paragraph) => paragraph.split(/(?<=[.!?:]) (?=[A-Z`])/))
    .filter((sentence) => !/^`[^`]+`[.:]?$/.test(sentence))
    .map((sentence) => sentence.replace(/[.!?:]$/, ""));
}

/** Cells of a table that are sentences, each a paragraph. Phrases may repeat from table to table. */
const sentencesInRow = (row: string) =>
  row
    .split("|")
    .filter((cell) => /[.!?]\s*$/.test(cell))
    .join("\n\n");

/** What is shorter is a common phrase, such as "See below." */
const shortest = 30;

/** Sentences that stand in several documents, with any mark at their end, with the documents. */
export function repeatedIn(documents: ReadonlyMap<string, string>): readonly string[] {
  const places = new Map<string, Set<string>>();
  for (const [path, text] of documents)
    for (const sentence of sentencesOf(text).filter(({ length }) => length > shortest))
      places.set(sentence, (places.get(sentence) ?? new Set()).add(path));
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([sentence, paths]) => `${[...paths].sort().join(", ")}: ${sentence}`);
}
