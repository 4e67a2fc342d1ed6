import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const openers: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: "open", linux: "xdg-open" };

/**
 * Opens an address in the user's browser, by a file in `folder` that leads there: other users of the machine see what
 * programs are given. What goes wrong is left to the user, who has the address, too.
 */
export function openBrowser(address: string, folder: string): void {
  const opener = openers[process.platform];
  if (!opener) return;
  const file = join(folder, "console.html");
  const page = `<!doctype html><meta http-equiv="refresh" content="0;url=${address}"><a href="${address}">Console</a>`;
  writeFileSync(file, page, { mode: 0o600 });
  spawn(opener, [pathToFileURL(file).href], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}
