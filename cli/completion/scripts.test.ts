import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { createProgram } from "../program.ts";
import { bashScript, fishScript, kubectlScript, zshScript } from "./scripts.ts";

const program = createProgram();
const quote = (text: string) => `'${text}'`;

/** How each shell is asked what it offers for these words, of which the last one is being typed. */
const shells = {
  // kubectl runs the script with the words after its own.
  kubectl: (words: readonly string[]) => ["-c", kubectlScript(program), ...words],
  bash: (words: readonly string[]) => [
    "-c",
    `${bashScript(program)}COMP_WORDS=(${words.map(quote).join(" ")}); COMP_CWORD=${words.length - 1}
     _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // It adds words by compadd, which works only while a key is handled.
  zsh: (words: readonly string[]) => [
    "-fc",
    `${zshScript(program)}compadd() { print -l -- \${(M)matches:#\${words[CURRENT]}*} }
     words=(${words.map(quote).join(" ")}) CURRENT=${words.length} BUFFER="$words" CURSOR=\${#BUFFER}
     _bash_complete -F _holdfast`,
  ],
  fish: (words: readonly string[]) => [
    "--no-config",
    "-c",
    `${fishScript(program)}complete -C ${quote(words.join(" "))}`,
  ],
};

const programs = { kubectl: "bash", bash: "bash", zsh: "zsh", fish: "fish" };

function offered(shell: keyof typeof shells, words: readonly string[]): readonly string[] {
  const out = execFileSync(programs[shell], shells[shell](words), { encoding: "utf8", cwd: import.meta.dirname });
  // fish has a sentence behind each.
  const found = out.split("\n").map((line) => line.replace(/\t.*/, ""));
  return [...new Set(found.filter(Boolean))].toSorted();
}

describe.each(Object.keys(shells) as (keyof typeof shells)[])("%s", (shell) => {
  const isThere = spawnSync(programs[shell], ["--version"]).status === 0;
  if (!isThere) console.log(`There is no ${shell} here: what it completes is not tried.`);
  test.skipIf(!isThere).each([
    [["holdfast", "sta"], ["status"]],
    [["holdfast", "help", "sta"], ["status"]],
    [["holdfast", "what-if", "s"], ["scale"]],
    [["holdfast", "what-if", "scale", "--rep"], ["--replicas"]],
    [
      ["holdfast", "status", "-o", ""],
      ["json", "wide", "yaml"],
    ],
    [["holdfast", "restore", "re"], ["release"]],
    [["holdfast", "explain", "pvc/da"], []],
  ])("offers for %j: %j", (words, expected) => expect(offered(shell, words)).toEqual(expected));
});

test("zsh has bash's script, and fish has every command and option with a sentence about each", () => {
  expect(zshScript(program)).toContain(bashScript(program));
  const fish = fishScript(program);
  for (const command of program.commands) {
    expect(fish).toContain(`-a ${command.name()} -d '`);
    for (const { long } of command.options)
      expect(fish).toContain(`__fish_seen_subcommand_from ${command.name()}' -l ${long?.slice(2)}`);
  }
});
