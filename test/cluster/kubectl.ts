import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The kubectl among the binaries of `KUBEBUILDER_ASSETS`; `undefined` where there is none. */
export const kubectl = [process.env.KUBEBUILDER_ASSETS ?? ""]
  .filter(Boolean)
  .map((folder) => join(folder, "kubectl"))
  .find(existsSync);

/** Runs kubectl and returns what it prints. Throws with what it complains about when it fails. */
export function run(options: readonly string[], kubeconfig = "", input?: string): string {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return execFileSync(kubectl ?? "kubectl", options, {
    encoding: "utf8",
    stdio: "pipe",
    env,
    // All systems are more than the mebibyte that Node reads.
    maxBuffer: 2 ** 26,
    ...(input === undefined ? {} : { input }),
  });
}
