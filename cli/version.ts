import { readFileSync } from "node:fs";

/** The program's version: from the package's own folder, of which this file and the packed program are one below. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return version;
}
