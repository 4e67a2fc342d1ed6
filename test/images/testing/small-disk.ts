import { execFileSync } from "node:child_process";

/** Whether this user may have file systems of their own, as root and on most distributions everybody may. */
export const canHaveSmallDisk = (() => {
  try {
    execFileSync("unshare", [...namespace(), "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

function namespace(): string[] {
  return ["--mount", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"])];
}

/**
 * A command that runs another with a file system of `size` on `folder`, which no other program sees, and which goes
 * with it. `after` is given to the shell then, with the folder as `$0`.
 */
export function onSmallDisk(folder: string, size: string, command: readonly string[], after = ""): string[] {
  const script = `mount -t tmpfs -o size=${size} none "$0" && ${after ? `{ "$@"; ${after}; }` : 'exec "$@"'}`;
  return ["unshare", ...namespace(), "sh", "-c", script, folder, ...command];
}
