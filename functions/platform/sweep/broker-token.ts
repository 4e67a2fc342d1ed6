import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";

/**
 * The header that signs in at a broker: for `http://host/a/b` with the token in the file `a/b` of a folder, where the
 * kubelet renews it before it expires. No header where there is no folder, or no token for this broker. Rejects when
 * the file cannot be read.
 */
export async function authorization(url: string, tokens: string): Promise<Record<string, string>> {
  if (!tokens) return {};
  // A path that was made absolute has lost its way out.
  const file = join(tokens, posix.normalize(`/${new URL(url).pathname}`));
  try {
    return { authorization: `Bearer ${(await readFile(file, "utf8")).trim()}` };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}
