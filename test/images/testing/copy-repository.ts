import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");
const needed = ["build", "functions", "local", "shared", "esbuild.config.mjs", "package.json", "package-lock.json"];

/**
 * Copies to a folder what images are built from, to be changed there. What is large and only read is linked where that
 * can be done: what npm has installed, and Node as a layer.
 */
export function copyRepository(folder: string): void {
  for (const name of needed) cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of ["node_modules", "dist/images/runtime"]) {
    const [from, to] = [join(root, name), join(folder, name)];
    if (!existsSync(from)) continue;
    mkdirSync(join(to, ".."), { recursive: true });
    try {
      execFileSync("cp", ["-a", "--link", from, to], { stdio: "ignore" });
    } catch {
      execFileSync("cp", ["-a", "--force", from, to]);
    }
  }
}
