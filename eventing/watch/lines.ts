/** Cuts a stream of text chunks of any size into lines without their line feeds; empty lines are dropped. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = "";
  for await (const chunk of chunks) {
    // Only the new chunk can hold a line feed, so that a large object arriving in small chunks is not scanned again and
    // again.
    if (!chunk.includes("\n")) {
      rest += chunk;
      continue;
    }
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line) yield line;
  }
  if (rest) yield rest;
}
