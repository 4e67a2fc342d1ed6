import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../shared/command/user-error.ts";
import { filesOf, type LockedPackage, unpack } from "./npm-package.ts";
import { checkSigner } from "./signer.ts";

/** An archive as the Node project publishes it, and the sums of all archives of its version. */
interface Published {
  readonly name: string;
  readonly archive: Buffer;
  /** `SHASUMS256.txt`, after its signature was checked. */
  readonly sums: string;
}

/**
 * Holds the program of an npm package against the archive of the Node project: the archive must be the one that the
 * sums name, and its `bin/node` must have the same bytes.
 *
 * @throws UserError where one byte differs, or the sums do not name the archive
 */
export async function compareWithSigned(program: Buffer, { name, archive, sums }: Published): Promise<void> {
  checkSum(archive, name, sums);
  const [signed] = (await unpack(archive, [`${name.replace(/\.tar\.gz$/, "")}/bin/node`])).values();
  if (!signed?.equals(program))
    throw new UserError(`bin/node of the npm package is not the one in ${name}. Do not release it.`);
}

/**
 * The same for each package: `folder` has a folder for each version, `v24.1.0`, with `SHASUMS256.txt` and the archives
 * of nodejs.org. One of `releasers` must have signed the sums, as `gpg-status.txt` beside them says. The program for
 * Windows has a line of its own in the sums, and needs no archive.
 */
export async function compareAll(
  nodes: readonly LockedPackage[],
  folder: string,
  releasers: readonly string[],
): Promise<readonly string[]> {
  const compared: string[] = [];
  for (const node of nodes) {
    const beside = join(folder, `v${node.version}`);
    checkSigner(await readFile(join(beside, "gpg-status.txt"), "utf8"), releasers);
    const sums = await readFile(join(beside, "SHASUMS256.txt"), "utf8");
    const platform = node.name.replace(/^node-(bin-)?/, "");
    const isWindows = platform.startsWith("win-");
    const path = isWindows ? "bin/node.exe" : "bin/node";
    const name = isWindows ? `${platform}/node.exe` : `node-v${node.version}-${platform}.tar.gz`;
    const program = (await filesOf(node, [path])).get(path) as Buffer;
    if (isWindows) checkSum(program, name, sums);
    else await compareWithSigned(program, { name, archive: await readFile(join(beside, name)), sums });
    compared.push(`${node.name}@${node.version} has the ${path} of ${name}.`);
  }
  return compared;
}

/** @throws UserError */
function checkSum(content: Buffer, name: string, sums: string): void {
  const sum = createHash("sha256").update(content).digest("hex");
  if (!sums.split("\n").includes(`${sum}  ${name}`))
    throw new UserError(`SHASUMS256.txt has no line for ${name} with the SHA-256 ${sum}.`);
}
