/** What a list says besides its items. */
export interface ListEnvelope {
  kind?: unknown;
  /** Empty here; null is how Go writes a list without items. */
  items?: unknown;
  metadata?: { continue?: string; resourceVersion?: string };
}

const quote = 34;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;
const openBracket = 91;
const closeBracket = 93;

/**
 * Cuts the JSON text of a Kubernetes list into its items while it arrives, and returns the rest of the list at its end.
 * However long the list is, it takes no more memory than its longest item: a page of pods that is parsed as one is
 * several megabytes of objects that all live until the last of them has been looked at.
 *
 * @throws SyntaxError when the text is not JSON, or ends too early; items before that place have been given out.
 */
export async function* itemsOf<T>(
  chunks: AsyncIterable<string>,
  complete: (item: T) => T,
): AsyncGenerator<T, ListEnvelope, undefined> {
  let envelope = "";
  /** What has arrived and is not given out yet; the scan has come to `at`. */
  let text = "";
  let at = 0;
  let depth = 0;
  /** The last string of the list's own level: before a bracket, it is the key of what the bracket opens. */
  let key = "";
  let place: "before" | "among" | "after" = "before";
  /** Where the item that is being scanned begins. */
  let begin = 0;

  for await (const chunk of chunks) {
    text += chunk;
    if (place === "after") continue;
    scan: for (; at < text.length; at++) {
      switch (text.charCodeAt(at)) {
        case quote: {
          const end = endOfString(text, at);
          // To be scanned anew when more of it has arrived.
          if (end < 0) break scan;
          if (depth === 1) key = text.slice(at + 1, end);
          at = end;
          break;
        }
        case openBrace:
          if (depth === 2 && place === "among") begin = at;
          depth++;
          break;
        case openBracket:
          if (depth === 1 && key === "items" && place === "before") {
            place = "among";
            envelope = text.slice(0, at + 1);
          }
          depth++;
          break;
        case closeBrace:
          depth--;
          if (depth === 2 && place === "among") yield complete(JSON.parse(text.slice(begin, at + 1)));
          break;
        case closeBracket:
          depth--;
          if (depth === 1 && place === "among") {
            place = "after";
            begin = at;
            break scan;
          }
      }
    }
    if (place === "before") continue;
    // Between items, what lies behind is done with; inside one, what it has so far is kept.
    const done = place === "among" && depth === 2 ? at : begin;
    text = text.slice(done);
    at -= done;
    begin = 0;
  }
  return JSON.parse(envelope + text) as ListEnvelope;
}

/** The position of the quote that ends the string, -1 when it has not arrived. */
function endOfString(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, position: number): boolean {
  let before = position - 1;
  while (text.charCodeAt(before) === backslash) before--;
  return (position - before) % 2 === 0;
}
