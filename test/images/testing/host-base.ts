import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeBase } from "../../../build/images/testing/empty-base.ts";

/** This machine's architecture, as OCI names it. */
export const architecture = process.arch === "arm64" ? "arm64" : "amd64";

/** The other one, whose programs do not run here. */
export const foreign = architecture === "amd64" ? "arm64" : "amd64";

/**
 * Writes a base to an OCI layout that stands in for the pinned one, which lies in a registry that tests cannot count
 * on: for this machine's architecture the libraries that Node needs, from where this machine has them; for the other
 * none.
 */
export async function writeHostBase(folder: string): Promise<void> {
  const linked = execFileSync("ldd", [process.execPath], { encoding: "utf8" });
  const files = [...linked.matchAll(/(\/\S+) \(0x/g)].map(([, file = ""]) => ({
    path: file.slice(1),
    content: readFileSync(file),
    executable: true,
  }));
  await writeBase(folder, { [architecture]: files });
}
