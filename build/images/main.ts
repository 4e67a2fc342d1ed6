import { imageNames } from "../../esbuild.config.mjs";
import { runCommand } from "../../shared/command/run-command.ts";
import { updatePinned } from "./base/pinned.ts";
import { help, readImageOptions } from "./options.ts";
import { baseCache, produce } from "./produce.ts";
import { progressOn } from "./progress.ts";
import { registryAccessOf } from "./registry/registry-access.ts";

const progress = progressOn(process.stderr);

async function main(args: readonly string[]): Promise<number> {
  const options = readImageOptions(args, imageNames(), process.env);
  if (options.task === "help") process.stdout.write(help);
  else if (options.task === "update base") {
    const access = registryAccessOf(process.env, options.insecure);
    const { before, after } = await updatePinned(options.platforms, baseCache, access);
    const what = before.digest === after.digest ? "still" : "now";
    process.stdout.write(`${after.image} is ${what} ${after.digest}\n`);
  } else {
    const { functions, build, destination } = options;
    const names = await produce(functions, build, destination, progress, process.env);
    progress.end();
    for (const name of names.values()) process.stdout.write(`${name}\n`);
  }
  return 0;
}

await runCommand(() => main(process.argv.slice(2)).finally(progress.end));
