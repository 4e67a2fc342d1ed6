/**
 * `npm run inventory`: what must not get lost while lines do. It prints the lines of each top folder, every mutant,
 * every invariant and liveness check, and every line of a document with whether a test shows it.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mutants } from "../differential/mutants/mutants.ts";
import { systems } from "../simulation/systems.ts";
import { documents } from "./shown-by.ts";

const root = join(import.meta.dirname, "../..");
const print = (line = "") => process.stdout.write(`${line}\n`);
const listed = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name).join(", ");

const isTest = (file: string) => /^test\/|\.test\.tsx?$|\/(testing|fixtures)\//.test(file);
const files = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.mjs", "*.cjs", "*.py"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .map((file) => ({ file, lines: readFileSync(join(root, file), "utf8").split("\n").length - 1 }));
const sum = (some: typeof files) => some.reduce((lines, one) => lines + one.lines, 0);
const tests = files.filter(({ file }) => isTest(file));
const others = files.filter(({ file }) => !isTest(file));

print("| folder | lines | of tests |");
print("| --- | --- | --- |");
for (const folder of [...new Set(files.map(({ file }) => (file.includes("/") ? file.split("/")[0] : ".")))].sort()) {
  const inFolder = ({ file }: { file: string }) => (file.includes("/") ? file.split("/")[0] : ".") === folder;
  print(`| ${folder} | ${sum(others.filter(inFolder))} | ${sum(tests.filter(inFolder))} |`);
}
print(`| all | ${sum(others)} | ${sum(tests)} |`);

print();
print("| system | scenarios | mutants | invariants | liveness checks |");
print("| --- | --- | --- | --- | --- |");
for (const { name, scenarios, mutants, invariants, liveness } of systems)
  print(`| ${name} | ${[scenarios, mutants, invariants, liveness].map(({ length }) => length).join(" | ")} |`);

print();
for (const system of systems) {
  print(`${system.name}: mutants: ${listed(system.mutants)}`);
  print(`${system.name}: invariants: ${listed(system.invariants)}`);
  print(`${system.name}: liveness: ${listed(system.liveness)}`);
}
print(`beside plain Kubernetes: mutants: ${listed(mutants)}`);

for (const [document, lines] of documents) {
  const shown = lines.filter(({ shownBy }) => !shownBy.startsWith("not shown: "));
  print();
  print(`${document}: ${shown.length} of ${lines.length} lines are shown`);
  for (const line of lines) print(`  ${shown.includes(line) ? "shown    " : "not shown"} ${line.says}`);
}
