import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const left = [".git", "dist", "node_modules"];

/** Copies the repository to a folder that is no repository; what npm has installed is linked. */
export function copyReleaseSources(folder: string): void {
  cpSync(root, folder, { recursive: true, filter: (path) => path === root || !left.includes(basename(path)) });
  execFileSync("cp", ["-a", "--link", join(root, "node_modules"), join(folder, "node_modules")]);
}
