import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../shared/command/run-command.ts";
import { progressOn } from "../images/progress.ts";
import { help, readReleaseOptions } from "./options.ts";
import { makeRelease } from "./release.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const progress = progressOn(process.stderr);

async function main(args: readonly string[]): Promise<number> {
  const options = readReleaseOptions(args, process.env, join(root, "dist/release"));
  if (!options) {
    process.stdout.write(help);
    return 0;
  }
  const files = await makeRelease(root, options, progress, process.env);
  progress.end();
  for (const file of files) process.stdout.write(`${join(options.folder, file)}\n`);
  return 0;
}

await runCommand(() => main(process.argv.slice(2)).finally(progress.end));
