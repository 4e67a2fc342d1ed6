/** What is no prose: generated blocks, comments, code, tables and headings. */
const noProse = [
  /<!-- generated: (\S+) -->[\s\S]*?<!-- end of \1 -->/g,
  /<!--[\s\S]*?-->/g,
  /^ *(```|~~~)[\s\S]*?^ *\1$/gm,
  /^ *\|.*$/gm,
  /^#.*$/gm,
];

/** The sentences of a document, without line breaks, emphasis, and where its links lead. */
function sentencesOf(document: string): readonly string[] {
  const prose = noProse
    .reduce((text, form) => text.replaceAll(form, "\n\n"), document)
    .replaceAll(/^ *(?:[-*]|\d+\.) /gm, "\n\n")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/\[|\]|\*\*/g, "");
  return prose
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim())
    .flatMap((paragraph) => paragraph.split(/(?<=[.!?]) (?=[A-Z`])/));
}

/** The sentences of more than 60 characters that stand in several documents, with the documents. */
export function repeatedIn(documents: ReadonlyMap<string, string>): readonly string[] {
  const places = new Map<string, Set<string>>();
  for (const [path, text] of documents)
    for (const sentence of sentencesOf(text).filter(({ length }) => length > 60))
      places.set(sentence, (places.get(sentence) ?? new Set()).add(path));
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([sentence, paths]) => `${[...paths].sort().join(", ")}: ${sentence}`);
}
