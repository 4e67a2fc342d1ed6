import type { Command, Option } from "commander";

/** What a command offers after its name. */
interface Offer {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly Option[];
  /** What its arguments may be, where that is fixed. */
  readonly choices: readonly string[];
}

const offersOf = (program: Command): readonly Offer[] =>
  program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    options: command.options,
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  }));

/** The script by which bash completes commands, options and what they may be. */
export const bashScript = (program: Command): string =>
  `${bashFunction(program)}complete -o default -F _holdfast holdfast\n`;

/** The program `kubectl_complete-holdfast`, which kubectl asks what may follow `kubectl holdfast`. */
export const kubectlScript = (program: Command): string => `#!/usr/bin/env bash
${bashFunction(program)}COMP_WORDS=(holdfast "$@"); COMP_CWORD=$#
_holdfast
for word in "\${COMPREPLY[@]}"; do echo "$word"; done
`;

function bashFunction(program: Command): string {
  const offers = offersOf(program);
  const cases = offers.map(({ name, options, choices }) => {
    const words = [...choices, ...options.flatMap(({ long, short }) => [long, short].filter(Boolean)), "--help"];
    return `    ${name}) words="${words.join(" ")}" ;;`;
  });
  const values = new Map(
    offers.flatMap(({ name, options }) =>
      options.flatMap(({ long, short, argChoices }) =>
        argChoices ? [[`${name},${long}`, argChoices] as const, [`${name},${short}`, argChoices] as const] : [],
      ),
    ),
  );
  const chosen = [...values].map(([key, choices]) => `    ${key}) words="${choices.join(" ")}" ;;`);
  return `_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="${offers.map(({ name }) => name).join(" ")} help"
  else case "$command" in
    help) words="${offers.map(({ name }) => name).join(" ")}" ;;
${cases.join("\n")}
    esac
    case "$command,$before" in
${chosen.join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
`;
}

/** The same for zsh, which runs bash's completions. */
export const zshScript = (program: Command): string =>
  ["#compdef holdfast", "autoload -U +X compinit && compinit", "autoload -U +X bashcompinit && bashcompinit", ""]
    .join("\n")
    .concat(bashScript(program));

/** The script by which fish completes them, with a sentence about each. */
export function fishScript(program: Command): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = offersOf(program).flatMap(({ name, summary, options, choices }) => {
    const seen = `complete -c holdfast -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c holdfast -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
      // Where a word of these is wanted, no file is.
      ...(choices.length > 0 ? [`${seen} -f -a ${quoted(choices.join(" "))}`] : []),
      ...options.map(({ long = "", short, description, argChoices }) => {
        const letter = short ? ` -s ${short.slice(1)}` : "";
        const values = argChoices ? ` -x -a ${quoted(argChoices.join(" "))}` : "";
        return `${seen} -l ${long.slice(2)}${letter}${values} -d ${quoted(description)}`;
      }),
    ];
  });
  const names = program.commands.map((command) => command.name()).join(" ");
  const help = [
    "complete -c holdfast -n __fish_use_subcommand -f -a help -d 'print the text of a command'",
    `complete -c holdfast -n '__fish_seen_subcommand_from help' -f -a ${quoted(names)}`,
  ];
  return `${[...lines, ...help].join("\n")}\n`;
}
