import { LineCounter, parseAllDocuments, visit } from "yaml";
import { UserError } from "./user-error.ts";

/** A text of YAML documents, and where it is from. */
export interface Source {
  readonly origin: string;
  readonly text: string;
}

/** What stands before a function's name, `<system>/<rule>`, in the place of its image. */
export const scheme = "fn://";

/**
 * The values that begin with `fn://` and are still there, functions' or not, by the lines at which they stand.
 *
 * @throws UserError when the YAML cannot be read
 */
export function findUnresolved({ origin, text }: Source): readonly { readonly at: string; readonly value: string }[] {
  const lineCounter = new LineCounter();
  const found: { at: string; value: string }[] = [];
  for (const document of parseAllDocuments(text, { lineCounter })) {
    const [error] = document.errors;
    if (error) throw new UserError(`${origin}: ${error.message}`);
    visit(document, {
      Scalar(key, { value, range }) {
        if (key === "key" || typeof value !== "string" || !value.startsWith(scheme)) return;
        found.push({ at: `${origin}:${lineCounter.linePos(range?.[0] ?? 0).line}`, value: value.trim() });
      },
    });
  }
  return found;
}
