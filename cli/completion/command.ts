import { Argument, Command } from "commander";
import { exitCode } from "../exit-code.ts";
import type { Subcommand } from "../subcommand.ts";
import { bashScript, fishScript, zshScript } from "./scripts.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

const example = `
Examples:
  source <(holdfast completion bash)    # in ~/.bashrc; zsh: in ~/.zshrc
  holdfast completion fish > ~/.config/fish/completions/holdfast.fish`;

/** `holdfast completion` */
export const completion: Subcommand = {
  declare: () =>
    new Command("completion")
      .summary("print the script by which a shell completes holdfast")
      .description("Prints the script by which a shell completes commands, options and their values.")
      .addArgument(new Argument("<SHELL>", "the shell").choices(Object.keys(scripts)))
      .addHelpText("after", example),
  async run([shell = ""], _, program) {
    process.stdout.write(scripts[shell as keyof typeof scripts](program));
    return exitCode.good;
  },
};
