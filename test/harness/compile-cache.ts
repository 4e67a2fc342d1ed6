import { join } from "node:path";

/**
 * For the environment of processes that run this tree's TypeScript: compiled once for all of them, because half of what
 * a short run takes is reading the program.
 */
export const compileCache = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, "../../node_modules/.cache/holdfast/compiled"),
} as const;
