import { bundle, imageNames } from "../../esbuild.config.mjs";
import { bundlingFault } from "../../local/start/bundling-fault.ts";
import { parseFlags } from "../../shared/command/parse-flags.ts";
import { runCommand } from "../../shared/command/run-command.ts";
import { UserError } from "../../shared/command/user-error.ts";

const help = `Bundles functions into dist/functions/<system>/<rule>/.

  npm run build [-- SYSTEM/RULE ...]

Without a name, all are bundled.
`;

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseFlags("npm run build", {
    args: [...args],
    allowPositionals: true,
    options: { help: { type: "boolean" } },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const known = imageNames();
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new UserError(`There is no function ${unknown.join(", ")}. There are: ${known.join(", ")}.`);
  const names = positionals.length > 0 ? positionals : known;
  try {
    await bundle(names);
  } catch (cause) {
    throw bundlingFault(cause);
  }
  return 0;
}

await runCommand(() => main(process.argv.slice(2)));
