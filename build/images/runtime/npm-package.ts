import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { extract } from "tar-stream";
import { temporaryFolder } from "../../../shared/command/temporary-folder.ts";
import { UserError } from "../../../shared/command/user-error.ts";

/** A package as the lock file has it. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** Subresource Integrity of its archive, `sha512-` and base64. */
  readonly integrity: string;
}

/**
 * Files of a package, from its archive, which npm fetches, or has in its cache since the install. The archive must be
 * the one that the lock file knows.
 *
 * @throws UserError when it cannot be had, is another, or has no such file
 */
export async function filesOf(
  { name, version, integrity }: LockedPackage,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const archive = await fetchArchive(`${name}@${version}`);
  const hash = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  if (hash !== integrity)
    throw new UserError(
      `The package ${name}@${version} is not the one in package-lock.json: its integrity is ${hash}.`,
    );
  const files = await unpack(archive, paths);
  const missing = paths.filter((path) => !files.has(path));
  if (missing.length > 0) throw new UserError(`The package ${name}@${version} has no ${missing.join(", ")}.`);
  return files;
}

async function fetchArchive(specifier: string): Promise<Buffer> {
  using temporary = temporaryFolder("package");
  const folder = temporary.path;
  try {
    const flags = ["--ignore-scripts", "--prefer-offline", "--silent", "--pack-destination", folder];
    const { stdout } = await promisify(execFile)("npm", ["pack", ...flags, specifier]);
    return await readFile(join(folder, stdout.trim()));
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    throw new UserError(`npm could not fetch ${specifier}: ${stderr.trim() || message}`);
  }
}

/** Files of a gzipped archive, those of a package without the `package/` that npm puts before them. */
export async function unpack(archive: Buffer, paths: readonly string[]): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const entries = extract();
  entries.end(await promisify(gunzip)(archive));
  for await (const entry of entries) {
    const path = entry.header.name.replace(/^package\//, "");
    const chunks: Buffer[] = [];
    for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
    if (paths.includes(path)) files.set(path, Buffer.concat(chunks));
  }
  return files;
}
