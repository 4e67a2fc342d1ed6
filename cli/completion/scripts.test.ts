import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { createProgram } from "../program.ts";
import { bashScript, fishScript, zshScript } from "./scripts.ts";

/** What bash offers for these words, of which the last one is being typed. */
function offered(words: readonly string[]): readonly string[] {
  const list = words.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync("bash", ["-c", `${bashScript(createProgram())}${ask}`], { encoding: "utf8" });
  return out.split("\n").filter(Boolean);
}

test.each([
  [["holdfast", "sta"], ["status"]],
  [["holdfast", "what-if", "s"], ["scale"]],
  [["holdfast", "what-if", "scale", "--rep"], ["--replicas"]],
  [
    ["holdfast", "status", "-o", ""],
    ["json", "yaml", "wide"],
  ],
  [["holdfast", "restore", "re"], ["release"]],
  [["holdfast", "explain", "pvc/da"], []],
])("bash offers for %j: %j", (words, expected) => {
  expect(offered(words)).toEqual(expected);
});

test("zsh has bash's script, and fish has every command and option with a sentence about each", () => {
  const program = createProgram();
  expect(zshScript(program)).toContain(bashScript(program));
  const fish = fishScript(program);
  for (const command of program.commands) {
    expect(fish).toContain(`-a ${command.name()} -d '`);
    for (const { long } of command.options)
      expect(fish).toContain(`__fish_seen_subcommand_from ${command.name()}' -l ${long?.slice(2)}`);
  }
});
