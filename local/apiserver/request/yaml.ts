import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Reads YAML, which the API server takes wherever it takes JSON. The parser is loaded when first needed: most clients
 * send JSON.
 */
export function parseYaml(text: string): unknown {
  const { parse }: typeof import("yaml") = require("yaml");
  return parse(text);
}

/** Writes YAML, for clients that accept nothing else. */
export function writeYaml(value: unknown): string {
  const { stringify }: typeof import("yaml") = require("yaml");
  // YAML 1.1 is what readers of Kubernetes speak: it wants quotes around what looks like a time.
  return stringify(value, { sortMapEntries: true, indentSeq: false, version: "1.1" });
}
