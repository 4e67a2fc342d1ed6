/** Cuts a sentence to at most `most` bytes of UTF-8, never inside a character; a cut one ends with an ellipsis. */
export function truncate(sentence: string, most: number): string {
  const bytes = Buffer.from(sentence);
  if (bytes.length <= most) return sentence;
  // The ellipsis takes three bytes; half a character at the cut decodes to U+FFFD.
  return `${bytes
    .subarray(0, most - 3)
    .toString("utf8")
    .replace(/\uFFFD+$/, "")}…`;
}
