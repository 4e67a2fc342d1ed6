import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

/** Makes a folder that goes when it is disposed of, and when the process exits at the latest. */
export function temporaryFolder(purpose: string): TemporaryFolder {
  if (!watched) process.once("exit", () => folders.forEach(remove));
  watched = true;
  const path = mkdtempSync(join(tmpdir(), `holdfast-${purpose}-`));
  folders.add(path);
  return { path, [Symbol.dispose]: () => remove(path) };
}
