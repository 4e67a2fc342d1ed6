import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** The version with which the chart was tried, and which `.ci/run` compiles where there is Go. */
const version = "4.0.0";

const { HELM, PATH = "", XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;

/** A helm: of `HELM`, of `PATH`, or of the cache; `undefined` where there is none. */
export const helm = [
  ...(HELM ? [HELM] : []),
  ...PATH.split(delimiter).map((folder) => join(folder, "helm")),
  join(XDG_CACHE_HOME, "holdfast", `helm-${version}`, "helm"),
].find((file) => existsSync(file));

/** Writes a chart's files to a folder, for helm to read. */
export function writeChart(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** What helm makes of a chart. Helm that was built by itself believes in a Kubernetes of long ago. @throws Error */
export function helmTemplate(folder: string, values: object, namespace = "holdfast"): string {
  const where = ["--namespace", namespace, "--kube-version", "v1.36.0", "--values", "-"];
  return execFileSync(helm as string, ["template", "holdfast", folder, ...where], {
    encoding: "utf8",
    input: JSON.stringify(values),
    maxBuffer: 2 ** 28,
    stdio: "pipe",
  });
}
