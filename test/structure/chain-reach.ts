import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { compactTable } from "../../build/manifests/markdown-table.ts";

const root = join(import.meta.dirname, "../..");

/** Where sources are read from: the working tree, or a commit of it. */
interface Tree {
  /** Paths relative to the root. */
  readonly rules: readonly string[];
  read(file: string): string;
}

const workingTree: Tree = {
  rules: globSync("functions/*/*/rule.ts", { cwd: root }).map((file) => file.replaceAll("\\", "/")),
  read: (file) => readFileSync(join(root, file), "utf8"),
};

/** Throws what git says about a commit that it does not have. */
function treeOf(commit: string): Tree {
  const git = (...words: string[]) => execFileSync("git", words, { cwd: root, encoding: "utf8" });
  const files = git("ls-tree", "-r", "--name-only", commit, "functions").split("\n");
  return { rules: files.filter((file) => file.endsWith("/rule.ts")), read: (file) => git("show", `${commit}:${file}`) };
}

/** The files of the repository that a file imports, types included, relative to the root. */
function importsOf(file: string, text: string): readonly string[] {
  const found = text.matchAll(/(?:\bfrom|^import|\bimport\()\s*"(\.{1,2}\/[^"]+)"/gm);
  return [...found].map(([, path]) => posix.join(dirname(file), path as string));
}

/** How many files of its system, and lines of them, a reader reaches who follows every import of a rule. */
export interface Reach {
  /** `<system>/<rule>`. */
  readonly rule: string;
  readonly files: number;
  readonly lines: number;
}

/** A module that only rules of a chain import: the kit's, that of Volumes, and those that satellites had before. */
const chainModule = /^(shared\/chain\/chain-rule|functions\/\w+\/lib\/(chain|chain-rule|step-rule))\.ts$/;

/** The rules that stand on a chain. A commit is read by git, with what its rules were named then. */
export function reachOfChains(commit?: string): readonly Reach[] {
  const { rules, read } = commit === undefined ? workingTree : treeOf(commit);
  return [...rules].sort().flatMap((file) => {
    const system = `${dirname(dirname(file))}/`;
    const texts = new Map([[file, read(file)]]);
    if (!importsOf(file, read(file)).some((one) => chainModule.test(one))) return [];
    for (const [one, text] of texts)
      for (const next of importsOf(one, text))
        if (next.startsWith(system)) texts.set(next, texts.get(next) ?? read(next));
    const lines = [...texts.values()].reduce((sum, text) => sum + text.trimEnd().split("\n").length, 0);
    return [{ rule: dirname(file).slice("functions/".length), files: texts.size, lines }];
  });
}

/** The last commit before chains were the kit's. */
const before = "05bbec9b";

/** What rules were named then, where it is another name. */
const formerNames: Readonly<Record<string, readonly string[]>> = {
  "volume/delete-pv": ["volume/retire"],
  "volume/report-health": ["volume/health"],
  "volume/run-job": ["volume/prepare", "volume/publish", "volume/settle", "volume/reclaim"],
};

const inWords = ({ files, lines }: Reach) => `${files} files, ${lines.toLocaleString("en")} lines`;

/** The start of each row of the documentation's table: a rule, and what a reader of it reaches now. */
export const rowsNow = () => reachOfChains().map((reach) => [`\`${reach.rule}\``, inWords(reach)] as const);

/** The documentation's table, with what a reader reached before. */
function reachTable(): string {
  const then = new Map(reachOfChains(before).map((reach) => [reach.rule, reach]));
  const formerly = (rule: string) =>
    (formerNames[rule] ?? [rule]).flatMap((name) => {
      const reach = then.get(name);
      return reach ? [`${name === rule ? "" : `${name}: `}${inWords(reach)}`] : [];
    });
  const rows = rowsNow().map(([rule, now]) => [rule, now, formerly(rule.slice(1, -1)).join("; ") || "none"]);
  return compactTable(["Rule", "Now", `Before (\`${before}\`)`], rows);
}

/** The page that has the table. */
export const page = join(root, "docs/numbers.md");

if (process.argv[1] === import.meta.filename) {
  const table = reachTable();
  console.log(table);
  if (process.argv.includes("--write"))
    writeFileSync(page, readFileSync(page, "utf8").replace(/\| Rule \| Now \|.*\n(\|.*\n)*/, table));
}
