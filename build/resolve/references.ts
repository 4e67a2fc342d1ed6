import { isAlias, isScalar, LineCounter, parseAllDocuments, visit } from "yaml";
import { type Source, scheme } from "../../shared/command/find-unresolved.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { type LabelPredicate, parseLabelSelector } from "../../shared/kubernetes/parse-label-selector.ts";

/** A place in a text that stands for a function's image. */
export interface Reference {
  /** `<system>/<rule>`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** The quote that it stands in, if any. */
  readonly quote: string;
}

/**
 * Finds the values that begin with `fn://`, which must each be a function's.
 *
 * @throws UserError with the file and the line of one that is not, or of YAML that cannot be read
 */
export function findReferences({ origin, text }: Source, functions: readonly string[]): readonly Reference[] {
  const lineCounter = new LineCounter();
  const found: Reference[] = [];
  for (const document of parseAllDocuments(text, { lineCounter })) {
    const [error] = document.errors;
    if (error) throw new UserError(`${origin}: ${error.message}`);
    visit(document, {
      Scalar(key, { value, range, type }) {
        if (key === "key" || typeof value !== "string" || !value.startsWith(scheme) || !range) return;
        const at = `${origin}:${lineCounter.linePos(range[0]).line}`;
        const name = value.slice(scheme.length);
        if (type?.startsWith("BLOCK"))
          throw new UserError(`${at}: what begins with ${scheme} must stand on one line with its key.`);
        if (!functions.includes(name))
          throw new UserError(`${at}: there is no function for ${value}. There are: ${functions.join(", ")}.`);
        const quote = type === "QUOTE_DOUBLE" ? '"' : type === "QUOTE_SINGLE" ? "'" : "";
        found.push({ name, start: range[0], end: range[1], quote });
      },
    });
  }
  return found;
}

/** The text with images in the places of references; nothing else of it is touched. */
export function putImages(text: string, references: readonly Reference[], images: ReadonlyMap<string, string>): string {
  let result = "";
  let at = 0;
  for (const { name, start, end, quote } of references) {
    result += `${text.slice(at, start)}${quote}${images.get(name)}${quote}`;
    at = end;
  }
  return result + text.slice(at);
}

/** Only those documents whose labels a selector takes. @throws UserError when the selector cannot be read */
export function selectDocuments({ origin, text }: Source, selector: string): Source {
  const selects = readSelector(selector);
  const kept = parseAllDocuments(text).flatMap((document) => {
    const { contents, range } = document;
    if (!contents || isAlias(contents) || isScalar(contents)) return [];
    const labels = document.getIn(["metadata", "labels"]) as { toJSON(): Record<string, string> } | undefined;
    return selects(labels?.toJSON() ?? {}) ? [text.slice(range[0], range[1]).replace(/^(?:---[^\n]*\n)+/, "")] : [];
  });
  return { origin, text: kept.map((document) => `${document.trimEnd()}\n`).join("---\n") };
}

function readSelector(text: string): LabelPredicate {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw new UserError(`--selector ${JSON.stringify(text)} cannot be read: ${(error as Error).message}.`);
  }
}
