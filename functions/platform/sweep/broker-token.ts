import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";

/** The tokens of brokers: the folder that has them (empty: there are none), and the hosts that may be sent one. */
export interface BrokerTokens {
  readonly tokens: string;
  readonly tokenHosts: readonly string[];
}

/**
 * The header that signs in at a broker: for `http://host/a/b` with the token in the file `a/b` of a folder, where the
 * kubelet renews it before it expires. No header where there is no folder, for a host that may not be sent a token, or
 * where there is no token for this broker. Rejects when the file cannot be read.
 */
export async function authorization(
  url: string,
  { tokens, tokenHosts }: BrokerTokens,
): Promise<Record<string, string>> {
  if (!tokens || !tokenHosts.includes(new URL(url).host)) return {};
  // A path that was made absolute has lost its way out.
  const file = join(tokens, posix.normalize(`/${new URL(url).pathname}`));
  try {
    return { authorization: `Bearer ${(await readFile(file, "utf8")).trim()}` };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}
