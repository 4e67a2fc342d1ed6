/** What a list says besides its items. */
export interface ListEnvelope {
  kind?: unknown;
  /** Empty here; null is how Go writes a list without items. */
  items?: unknown;
  metadata?: { continue?: string; resourceVersion?: string };
}

/**
 * Cuts the JSON text of Kubernetes lists into their items while it arrives. Take in a piece, ask for items until there
 * is none, take in the next piece, and at the end ask for the rest of the list. After that it is ready for the next
 * list, or page.
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
 * Longer strings are better searched for their end by the platform, shorter ones are over before it has been called.
 */
const shortString = 24;

/**
 * A reader of lists, one after the other. However long a list is, it takes no more memory than its longest item: a page
 * of pods that is parsed as one is several megabytes of objects that all live until the last of them has been looked
 * at. It works on bytes and parses an item only when it is asked for, because V8 enlarges its young generation, and
 * keeps it so, by what is alive whenever it collects: strings of pieces and items that wait for their turn would be.
 * What it holds is reused for the next list, because what lives as long as a page becomes old, and would be there until
 * the next full collection.
 *
 * Arrays at the paths `leaveOut`, each of two names as in `metadata.managedFields`, are given out empty: most of what
 * real objects consist of is never read by anybody, and what is not parsed need not be collected again.
 *
 * `next` and `end` throw SyntaxError when the text is not JSON, or ends too early.
 */
export function readLists<T>(leaveOut: readonly string[] = []): ListReader<T> {
  const unread = [...Map.groupBy(leaveOut.map(namesOf), ([parent]) => parent)].map(([parent, paths]) => ({
    parent: Buffer.from(parent),
    children: paths.map(([, child]) => Buffer.from(child)),
  }));
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
  /**
   * What is left out under the key that the scan has come to on the item's own level, and whether it is at such a key
   * below.
   */
  let children: readonly Buffer[] | undefined;
  let leavesOut = false;
  /** Where, from its beginning, the item that is being scanned is passed over: from, to, from, to. */
  let cuts: number[] = [];

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
          // To be scanned again when more of it has arrived.
          if (end < 0) return undefined;
          if (depth === 1) key = bytes.toString("utf8", at + 1, end);
          else if (depth === 3) {
            children = unread.find(({ parent }) => isWord(bytes, at, end, parent))?.children;
            leavesOut = false;
          } else if (depth === 4) leavesOut = children?.some((child) => isWord(bytes, at, end, child)) ?? false;
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
          if (depth === 3) children = undefined;
          else if (depth === 4 && leavesOut) cuts.push(at + 1 - begin);
          depth++;
          break;
        case closeBrace:
          depth--;
          if (depth === 2 && place === "among") {
            at++;
            return item();
          }
          break;
        case closeBracket:
          depth--;
          if (depth === 4 && leavesOut) {
            cuts.push(at - begin);
            leavesOut = false;
          }
          if (depth === 1 && place === "among") {
            place = "after";
            begin = at;
            return undefined;
          }
      }
    }
    return undefined;
  }

  function item(): T {
    let text = "";
    let from = begin;
    for (let cut = 0; cut < cuts.length; cut += 2) {
      text += bytes.toString("utf8", from, begin + (cuts[cut] as number));
      from = begin + (cuts[cut + 1] as number);
    }
    if (cuts.length > 0) cuts = [];
    return JSON.parse(text + bytes.toString("utf8", from, at)) as T;
  }

  function end(): ListEnvelope {
    const text = envelope + bytes.toString("utf8", begin, length);
    envelope = "";
    key = "";
    place = "before";
    length = 0;
    at = 0;
    depth = 0;
    begin = 0;
    return JSON.parse(text) as ListEnvelope;
  }
  return { take, next, end };
}

function namesOf(path: string): [parent: string, child: string] {
  const [parent, child, ...more] = path.split(".");
  if (!parent || !child || more.length > 0) throw new Error(`${path} is no path of two names.`);
  return [parent, child];
}

/**
 * Whether the string between the quotes at `begin` and `end` is the word; escapes are never needed for one of letters.
 */
function isWord(bytes: Buffer, begin: number, end: number, word: Buffer): boolean {
  return end - begin - 1 === word.length && word.compare(bytes, begin + 1, end) === 0;
}

/** The position of the quote that ends the string, -1 when it has not arrived. */
function endOfString(bytes: Buffer, begin: number, length: number): number {
  const near = Math.min(begin + shortString, length);
  for (let end = begin + 1; end < near; end++) {
    const byte = bytes[end];
    if (byte === quote) return end;
    if (byte === backslash) end++;
  }
  let end = bytes.indexOf(quote, begin + 1);
  while (end >= 0 && end < length && isEscaped(bytes, end)) end = bytes.indexOf(quote, end + 1);
  return end >= 0 && end < length ? end : -1;
}

function isEscaped(bytes: Buffer, position: number): boolean {
  let before = position - 1;
  while (bytes[before] === backslash) before--;
  return (position - before) % 2 === 0;
}
