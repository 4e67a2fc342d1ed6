// Puts images in the places of fn://<system>/<rule> in YAML: npm run resolve -- --help
//   node main.ts resolve|apply [flags]
import { spawn } from "node:child_process";
import { imageNames } from "../../esbuild.config.mjs";
import { runCommand } from "../../shared/command/run-command.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { progressOn } from "../images/progress.ts";
import { helpOf, readResolveOptions } from "./options.ts";
import { check, resolve } from "./resolve.ts";

/** Whichever is found first, with the configuration that it has. */
const program = "kubectl";

const progress = progressOn(process.stderr);

async function main([command, ...args]: readonly string[]): Promise<number> {
  if (command !== "resolve" && command !== "apply") throw new UserError("There is resolve, and there is apply.");
  const options = readResolveOptions(command, args, process.env);
  if (!options) {
    process.stdout.write(helpOf(command));
    return 0;
  }
  if ("check" in options) {
    await check(options);
    return 0;
  }
  const yaml = await resolve(options, imageNames(), progress, process.env);
  progress.end();
  if (command === "apply") return apply(yaml, options.rest);
  process.stdout.write(yaml);
  return 0;
}

/** Returns kubectl's exit code. */
function apply(yaml: string, flags: readonly string[]): Promise<number> {
  return new Promise((done, reject) => {
    const kubectl = spawn(program, ["apply", "-f", "-", ...flags], { stdio: ["pipe", "inherit", "inherit"] });
    kubectl.on("error", (error) => reject(new UserError(`kubectl cannot be run: ${error.message}.`)));
    kubectl.on("close", (code) => done(code ?? 1));
    // A reader that stops early says why by itself.
    kubectl.stdin.on("error", () => {});
    kubectl.stdin.end(yaml);
  });
}

await runCommand(() => main(process.argv.slice(2)).finally(progress.end));
