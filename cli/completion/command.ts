import { Argument, Command } from "commander";
import { exitCode } from "../exit-code.ts";
import type { Subcommand } from "../subcommand.ts";
import { bashScript, fishScript, kubectlScript, zshScript } from "./scripts.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript, kubectl: kubectlScript };

const example = `
Examples:
  source <(holdfast completion bash)    # in ~/.bashrc
  source <(holdfast completion zsh)     # in ~/.zshrc
  holdfast completion fish > ~/.config/fish/completions/holdfast.fish
As a plugin of kubectl, with a folder of PATH:
  holdfast completion kubectl > ~/bin/kubectl_complete-holdfast
  chmod +x ~/bin/kubectl_complete-holdfast`;

/** `holdfast completion` */
export const completion: Subcommand = {
  declare: () =>
    new Command("completion")
      .summary("print the script by which a shell completes holdfast")
      .description("Prints the script by which a shell completes commands, options and their values.")
      .addArgument(new Argument("<SHELL>", "the shell, or kubectl").choices(Object.keys(scripts)))
      .addHelpText("after", example),
  async run([shell = ""], _, program) {
    process.stdout.write(scripts[shell as keyof typeof scripts](program));
    return exitCode.good;
  },
};
