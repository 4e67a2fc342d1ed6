import { fileURLToPath } from "node:url";
import { runCommand } from "../../shared/command/run-command.ts";
import { compareAll } from "../images/runtime/compare-with-signed.ts";

const help = `Compares Node in images and in the command line with the Node that its project publishes.

  npm run verify:node -- FOLDER FINGERPRINT...

FOLDER has the archives node-vVERSION-linux-{x64,arm64}.tar.gz of https://nodejs.org/dist, and what gpg makes of
SHASUMS256.txt.asc:

  gpg --status-file FOLDER/gpg-status.txt --output FOLDER/SHASUMS256.txt --decrypt FOLDER/SHASUMS256.txt.asc

FINGERPRINT is that of a releaser of Node; one of them must have signed. The workflow of the repository does this for
each change and each release.
`;

await runCommand(async () => {
  const [folder, ...releasers] = process.argv.slice(2);
  if (folder === undefined || folder === "--help") {
    process.stdout.write(help);
    return folder ? 0 : 2;
  }
  for (const line of await compareAll(fileURLToPath(new URL("../..", import.meta.url)), folder, releasers))
    process.stdout.write(`${line}\n`);
  return 0;
});
