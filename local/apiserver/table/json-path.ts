import { createRequire } from "node:module";

// Loaded with the first table that needs it: most clients ask for none.
const require = createRequire(import.meta.url);

/**
 * Reads a printer column's JSON path, which begins with a dot, and in which a backslash escapes the dots of a name. A
 * real server refuses a definition with a path that is none; here it finds nothing, or what the library makes of it.
 */
export function jsonPath(path: string): (object: object) => unknown[] {
  const { JSONPath }: typeof import("jsonpath-plus") = require("jsonpath-plus");
  const standard = `$${path.replace(escaped, (_, name: string) => `['${name.replaceAll("\\", "")}']`)}`;
  return (json) => {
    try {
      return JSONPath({ path: standard, json, eval: "safe" });
    } catch {
      return [];
    }
  };
}

const escaped = /\.((?:[^.[\\])*\\.(?:\\.|[^.[\\])*)/g;
