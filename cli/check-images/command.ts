import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { Command } from "commander";
import { findUnresolved, type Source } from "../../shared/command/find-unresolved.ts";
import { fromHere } from "../../shared/command/from-here.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { terminal } from "../../shared/terminal/terminal.ts";
import { visible } from "../../shared/terminal/visible.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { exitCode } from "../exit-code.ts";
import { type Format, formatted, withFormat } from "../output/format.ts";
import type { Subcommand } from "../subcommand.ts";

const example = `
Example:
  kubectl kustomize my-overlay | holdfast check-images`;

const todo =
  "Put images in these places with `npm run resolve`, or name them in your overlay. Otherwise Knative looks for a " +
  "registry called fn.";

/** `holdfast check-images` */
export const checkImages: Subcommand = {
  declare: () =>
    withFormat(
      new Command("check-images")
        .summary("say which functions in YAML have no image yet")
        .description(
          "Reads YAML that you are about to apply, and says where a placeholder such as " +
            "fn://pvc-protection/release still stands in the place of an image. Without a file, it reads from a " +
            "pipe. It needs no cluster.",
        )
        .argument("[FILE...]", "YAML or JSON, such as holdfast.yaml")
        .addHelpText("after", example),
    ),
  async run(files, { output }: { readonly output?: Format }) {
    const sources = files.length > 0 ? files.map(read) : [await piped()];
    const empty = sources.find((source) => source.text.trim() === "");
    if (empty) throw new UserError(`There is no YAML in ${empty.origin}.`);
    const unresolved = sources.flatMap(findUnresolved);
    const out = terminal(process.stdout);
    if (output) process.stdout.write(formatted({ unresolved }, output));
    else if (unresolved.length === 0) out.print("No placeholder of an image is left.");
    else {
      for (const { at, value } of unresolved) out.print(visible(`${at}: ${value}`));
      out.print(wrap(todo, 0, out.width));
    }
    return unresolved.length > 0 ? exitCode.bad : exitCode.good;
  },
};

function read(file: string): Source {
  try {
    return { origin: file, text: readFileSync(fromHere(file), "utf8") };
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}

async function piped(): Promise<Source> {
  if (process.stdin.isTTY)
    throw new UserError("No YAML comes in. Run: kubectl kustomize FOLDER | holdfast check-images");
  return { origin: "standard input", text: await text(process.stdin) };
}
