import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "./user-error.ts";

/** A folder for temporary files. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

const folders = new Set<string>();
let watched = false;
const remove = (path: string) => {
  folders.delete(path);
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
};

/**
 * Makes a folder that only this user can read, and that goes when it is disposed of, and when the process exits at the
 * latest.
 *
 * @throws UserError where none can be made.
 */
export function temporaryFolder(purpose: string): TemporaryFolder {
  if (!watched) process.once("exit", () => folders.forEach(remove));
  watched = true;
  const path = make(join(tmpdir(), `holdfast-${purpose}-`));
  folders.add(path);
  return { path, [Symbol.dispose]: () => remove(path) };
}

function make(prefix: string): string {
  try {
    return mkdtempSync(prefix);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new UserError(`Temporary files cannot be written, and TMPDIR may name another place for them: ${why}`, {
      cause,
    });
  }
}
