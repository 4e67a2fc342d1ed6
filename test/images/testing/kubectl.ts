import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The folder of a kubectl that knows kustomize: of `KUBEBUILDER_ASSETS`, or of `PATH`; `undefined` where there is none.
 */
export const kubectlFolder = [process.env.KUBEBUILDER_ASSETS ?? "", ...(process.env.PATH ?? "").split(delimiter)]
  .filter(Boolean)
  .find((folder) => existsSync(join(folder, "kubectl")) && works(join(folder, "kubectl")));

function works(kubectl: string): boolean {
  try {
    return /Kustomize Version/.test(execFileSync(kubectl, ["version", "--client"], { encoding: "utf8" }));
  } catch {
    return false;
  }
}
