import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Reads YAML, which the API server takes wherever it takes JSON. The parser is loaded when first needed: most clients send JSON. */
export function parseYaml(text: string): unknown {
  const { parse }: typeof import("yaml") = require("yaml");
  return parse(text);
}

/** Writes YAML, for clients that accept nothing else. */
export function writeYaml(value: unknown): string {
  const { stringify }: typeof import("yaml") = require("yaml");
  return stringify(value, { sortMapEntries: true });
}
