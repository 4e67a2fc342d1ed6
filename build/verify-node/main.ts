import { fileURLToPath } from "node:url";
import { runCommand } from "../../shared/command/run-command.ts";
import { compareAll } from "../images/runtime/compare-with-signed.ts";
import { lockedNode, platforms } from "../images/runtime/locked-node.ts";
import { pinnedNodes } from "../release/single-file-node.ts";

const help = `Compares Node in images and in the command line with the Node that its project publishes.

  npm run verify:node -- FOLDER FINGERPRINT...

FOLDER has a folder for each version of Node that is pinned: that of images, and that of the single files. In it are the
archives of https://nodejs.org/dist, node-vVERSION-linux-{x64,arm64}.tar.gz and for the single files also
node-vVERSION-darwin-arm64.tar.gz, and what gpg makes of SHASUMS256.txt.asc, in FOLDER/vVERSION:

  gpg --status-file gpg-status.txt --output SHASUMS256.txt --decrypt SHASUMS256.txt.asc

FINGERPRINT is that of a releaser of Node; one of them must have signed. The workflow of the repository does this for
each change and each release.
`;

await runCommand(async () => {
  const [folder, ...releasers] = process.argv.slice(2);
  if (folder === undefined || folder === "--help") {
    process.stdout.write(help);
    return folder ? 0 : 2;
  }
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const ofImages = platforms.map((platform) => {
    const [os = "", architecture = ""] = platform.split("/");
    return lockedNode(root, { os, architecture });
  });
  const nodes = [...(await Promise.all(ofImages)), ...pinnedNodes];
  for (const line of await compareAll(nodes, folder, releasers)) process.stdout.write(`${line}\n`);
  return 0;
});
