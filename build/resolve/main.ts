// Puts images in the places of fn://<system>/<rule> in YAML: npm run resolve -- --help
//   node main.ts resolve|apply [flags]
import { spawn } from "node:child_process";
import { imageNames } from "../../esbuild.config.mjs";
import { Complaint, complain } from "../../local/command/complaint.ts";
import { progressOn } from "../images/progress.ts";
import { helpOf, readResolveOptions } from "./options.ts";
import { resolve } from "./resolve.ts";

/** Whichever is found first, with the configuration that it has. */
const program = "kubectl";

const [command, ...args] = process.argv.slice(2);
const progress = progressOn(process.stderr);
try {
  if (command !== "resolve" && command !== "apply") throw new Complaint("There is resolve, and there is apply.");
  const options = readResolveOptions(command, args, process.env);
  if (!options) process.stdout.write(helpOf(command));
  else {
    const yaml = await resolve(options, imageNames(), progress, process.env);
    progress.end();
    if (command === "resolve") process.stdout.write(yaml);
    else process.exitCode = await apply(yaml, options.rest);
  }
} catch (error) {
  progress.end();
  process.exitCode = complain(error);
}

/** Answers kubectl's exit code. */
function apply(yaml: string, flags: readonly string[]): Promise<number> {
  return new Promise((done, reject) => {
    const kubectl = spawn(program, ["apply", "-f", "-", ...flags], { stdio: ["pipe", "inherit", "inherit"] });
    kubectl.on("error", (error) => reject(new Complaint(`kubectl cannot be run: ${error.message}.`)));
    kubectl.on("close", (code) => done(code ?? 1));
    // One that does not read to the end tells why by itself.
    kubectl.stdin.on("error", () => {});
    kubectl.stdin.end(yaml);
  });
}
