import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rows } from "./rows.ts";

/** What Kubernetes' own code says of a row: a match, an order, or that the API server takes no such object. */
export type Verdict = boolean | -1 | 0 | 1 | "invalid";

const here = import.meta.dirname;
const file = join(here, "verdicts.json");

/** Of which rows the recorded verdicts are. */
export const digestOfRows = (): string => createHash("sha256").update(JSON.stringify(rows)).digest("hex");

/** What was recorded, in the order of the rows; `modules`: the versions that said it. */
export const recorded = (): { readonly modules: readonly string[]; readonly rows: string; readonly verdicts: string } =>
  JSON.parse(readFileSync(file, "utf8"));

/** The versions of Kubernetes' modules in go.mod. */
export const modules = (): readonly string[] =>
  [...readFileSync(join(here, "go.mod"), "utf8").matchAll(/^\t(k8s\.io\/(?:api\w*|component-helpers) v\S+)$/gm)].map(
    ([, module]) => module as string,
  );

/** Asks Kubernetes' own code. @throws Error where there is no `go`, or no way to its modules. */
export function ask(): readonly Verdict[] {
  const options = { cwd: here, input: JSON.stringify(rows), maxBuffer: 2 ** 26, encoding: "utf8" } as const;
  return JSON.parse(execFileSync("go", ["run", "."], options));
}

const signs: readonly (readonly [Verdict, string])[] = [
  [true, "t"],
  [false, "f"],
  [-1, "<"],
  [0, "="],
  [1, ">"],
  ["invalid", "!"],
];

/** Verdicts as text, one character each. */
export const written = (verdicts: readonly Verdict[]): string =>
  verdicts.map((one) => signs.find(([verdict]) => verdict === one)?.[1]).join("");

/** The same read back. */
export const read = (text: string): readonly Verdict[] =>
  [...text].map((one) => signs.find(([, sign]) => sign === one)?.[0] as Verdict);

// Run by itself, it records what Kubernetes says now.
if (process.argv[1] === import.meta.filename) {
  const found = { modules: modules(), rows: digestOfRows(), verdicts: written(ask()) };
  writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
}
