/** What a list says besides its items. */
export interface ListEnvelope {
  kind?: unknown;
  /** Empty here; null is how Go writes a list without items. */
  items?: unknown;
  metadata?: { continue?: string; resourceVersion?: string };
}

/**
 * Cuts the JSON text of a Kubernetes list into its items while it arrives. Take in a piece, ask for items until there is none,
 * take in the next piece, and at the end ask for the rest of the list.
 */
export interface ListReader<T> {
  take(piece: string | Uint8Array): void;
  /** The next item that is complete; `undefined` when more has to be taken in first. */
  next(): T | undefined;
  end(): ListEnvelope;
}

const quote = 34;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;
const openBracket = 91;
const closeBracket = 93;

/**
 * A reader of one list. However long the list is, it takes no more memory than its longest item: a page of pods that is
 * parsed as one is several megabytes of objects that all live until the last of them has been looked at. It works on bytes
 * and parses an item only when it is asked for, because V8 enlarges its young generation, and keeps it so, by what is alive
 * whenever it collects: strings of pieces and items that wait for their turn would be.
 *
 * `next` and `end` throw SyntaxError when the text is not JSON, or ends too early.
 */
export function readList<T>(): ListReader<T> {
  let envelope = "";
  /** What has arrived and is not done with yet; the scan has come to `at`. */
  let bytes = Buffer.allocUnsafe(64 * 1024);
  let length = 0;
  let at = 0;
  let depth = 0;
  /** The last string of the list's own level: before a bracket, it is the key of what the bracket opens. */
  let key = "";
  let place: "before" | "among" | "after" = "before";
  /** Where the item that is being scanned begins. */
  let begin = 0;

  function take(piece: string | Uint8Array): void {
    // Between items, what lies behind is done with; inside one, what it has so far is kept.
    const done = place === "before" ? 0 : place === "among" && depth === 2 ? at : begin;
    bytes.copyWithin(0, done, length);
    length -= done;
    at -= done;
    begin -= done;
    const more = typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
    if (length + more > bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (length + more));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    if (typeof piece === "string") bytes.write(piece, length);
    else bytes.set(piece, length);
    length += more;
  }

  function next(): T | undefined {
    if (place === "after") return undefined;
    for (; at < length; at++) {
      switch (bytes[at]) {
        case quote: {
          const end = endOfString(bytes, at, length);
          // To be scanned anew when more of it has arrived.
          if (end < 0) return undefined;
          if (depth === 1) key = bytes.toString("utf8", at + 1, end);
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
            envelope = bytes.toString("utf8", 0, at + 1);
          }
          depth++;
          break;
        case closeBrace:
          depth--;
          if (depth === 2 && place === "among") return JSON.parse(bytes.toString("utf8", begin, ++at)) as T;
          break;
        case closeBracket:
          depth--;
          if (depth === 1 && place === "among") {
            place = "after";
            begin = at;
            return undefined;
          }
      }
    }
    return undefined;
  }

  const end = () => JSON.parse(envelope + bytes.toString("utf8", begin, length)) as ListEnvelope;
  return { take, next, end };
}

/** The position of the quote that ends the string, -1 when it has not arrived. */
function endOfString(bytes: Buffer, begin: number, length: number): number {
  let end = bytes.indexOf(quote, begin + 1);
  while (end >= 0 && end < length && isEscaped(bytes, end)) end = bytes.indexOf(quote, end + 1);
  return end < length ? end : -1;
}

function isEscaped(bytes: Buffer, position: number): boolean {
  let before = position - 1;
  while (bytes[before] === backslash) before--;
  return (position - before) % 2 === 0;
}
