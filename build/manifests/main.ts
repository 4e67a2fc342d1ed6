// Writes what follows from the functions' declarations: manifests under knative/ and sources/, tables in READMEs.
//   npm run manifests
//   npm run manifests -- --check    writes nothing, and fails when something would be written
import { fileURLToPath } from "node:url";
import { loadDeclared } from "./declared.ts";
import { differences, settle } from "./files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

async function main(options: readonly string[]): Promise<readonly string[]> {
  const unknown = options.filter((option) => option !== "--check");
  if (unknown.length > 0) return [`There is no option ${unknown.join(", ")}; there is --check.`];
  const { found, faults } = differences(root, await loadDeclared(root));
  for (const { path, change } of found) console.log(`${change} ${path}`);
  if (!options.includes("--check")) settle(root, found);
  else if (found.length > 0) return ['These are not what the functions declare: run "npm run manifests".', ...faults];
  return faults;
}

const complaints = await main(process.argv.slice(2)).catch((error: Error) => [error.message]);
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
