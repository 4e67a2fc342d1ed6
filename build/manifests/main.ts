import { fileURLToPath } from "node:url";
import { parseFlags } from "../../shared/command/parse-flags.ts";
import { runCommand } from "../../shared/command/run-command.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { loadDeclared, loadSystems, loadWrittenNames } from "./declared.ts";
import { differences, settle } from "./files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const help = `Writes what follows from the functions' declarations: manifests under knative/
and sources/, and tables in READMEs.

  npm run manifests [-- options]

  --check  writes nothing, and fails when something would be written
  --help   this text
`;

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseFlags("npm run manifests", {
    args: [...args],
    options: { check: { type: "boolean" }, help: { type: "boolean" } },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const { found, faults } = differences(
    root,
    await loadDeclared(root),
    await loadSystems(root),
    await loadWrittenNames(root),
  );
  for (const { path, change } of found) console.log(`${change} ${path}`);
  if (!values.check) settle(root, found);
  const stale =
    values.check && found.length > 0 ? ['These are not what the functions declare; run "npm run manifests".'] : [];
  const complaints = [...stale, ...faults];
  if (complaints.length > 0) throw new UserError(complaints.join("\n"));
  if (found.length === 0) console.log("Everything is what the functions declare.");
  return 0;
}

await runCommand(() => main(process.argv.slice(2)));
