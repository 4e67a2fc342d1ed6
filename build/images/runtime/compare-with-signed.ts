import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../shared/command/user-error.ts";
import { lockedNode, platforms } from "./locked-node.ts";
import { filesOf, unpack } from "./npm-package.ts";
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
  const sum = createHash("sha256").update(archive).digest("hex");
  if (!sums.split("\n").includes(`${sum}  ${name}`))
    throw new UserError(`SHASUMS256.txt has no line for ${name} with the SHA-256 ${sum}.`);
  const [signed] = (await unpack(archive, [`${name.replace(/\.tar\.gz$/, "")}/bin/node`])).values();
  if (!signed?.equals(program))
    throw new UserError(`bin/node of the npm package is not the one in ${name}. Do not release it.`);
}

/**
 * The same for each platform, with `SHASUMS256.txt` and the archives that lie in `folder`. One of `releasers` must have
 * signed the sums, as `gpg-status.txt` beside them says.
 */
export async function compareAll(
  root: string,
  folder: string,
  releasers: readonly string[],
): Promise<readonly string[]> {
  checkSigner(await readFile(join(folder, "gpg-status.txt"), "utf8"), releasers);
  const sums = await readFile(join(folder, "SHASUMS256.txt"), "utf8");
  const compared: string[] = [];
  for (const platform of platforms) {
    const [os = "", architecture = ""] = platform.split("/");
    const node = await lockedNode(root, { os, architecture });
    const name = `${node.name.replace(/^node-/, `node-v${node.version}-`)}.tar.gz`;
    const archive = await readFile(join(folder, name));
    const program = (await filesOf(node, ["bin/node"])).get("bin/node") as Buffer;
    await compareWithSigned(program, { name, archive, sums });
    compared.push(`${node.name}@${node.version} has the bin/node of ${name}.`);
  }
  return compared;
}
