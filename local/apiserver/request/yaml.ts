import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Reads YAML, in which kubectl sends what is to be applied by the server. The parser is loaded when first needed: most
 * clients send JSON.
 */
export function parseYaml(text: string): unknown {
  const { parse }: typeof import("yaml") = require("yaml");
  return parse(text);
}
