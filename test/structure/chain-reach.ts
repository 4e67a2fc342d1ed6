import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The files of the repository that a file imports, types included, relative to the root. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), "utf8");
  const found = text.matchAll(/(?:\bfrom|^import|\bimport\()\s*"(\.{1,2}\/[^"]+)"/gm);
  return [...found].map(([, path]) => posix.join(dirname(file), path as string));
}

/** How many files of its system, and lines of them, a reader reaches who follows every import of a rule. */
export interface Reach {
  readonly rule: string;
  readonly files: number;
  readonly lines: number;
}

/** The rules that take a step of a chain. */
export function reachOfChains(): readonly Reach[] {
  return globSync("functions/*/*/rule.ts", { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => importsOf(file).includes("shared/chain/chain-rule.ts"))
    .sort()
    .map((file) => {
      const system = `${dirname(dirname(file))}/`;
      const reached = new Set([file]);
      for (const one of reached) for (const next of importsOf(one)) if (next.startsWith(system)) reached.add(next);
      const lines = [...reached].map((one) => readFileSync(join(root, one), "utf8").trimEnd().split("\n").length);
      return { rule: dirname(file).slice(10), files: reached.size, lines: lines.reduce((sum, n) => sum + n, 0) };
    });
}

if (process.argv[1] === import.meta.filename)
  for (const { rule, files, lines } of reachOfChains())
    console.log(`${rule.padEnd(32)} ${String(files).padStart(3)} files ${String(lines).padStart(6)} lines`);
