import { resolve } from "node:path";

/** A path as it was meant: npm runs scripts in the project's folder, wherever it was called. */
export function fromHere(path: string): string {
  const { INIT_CWD: here } = process.env;
  return here && resolve(here) !== process.cwd() ? resolve(here, path) : path;
}
