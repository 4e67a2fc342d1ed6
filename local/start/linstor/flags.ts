import { fromHere } from "../../../shared/command/from-here.ts";
import { UserError } from "../../../shared/command/user-error.ts";

/** The LINSTOR that `--linstor` names. */
export interface LinstorFlags {
  readonly url: string;
  /** Of files that its Secret is made of. */
  readonly folder?: string;
}

export const linstorFlags = {
  linstor: { type: "string" },
  "linstor-tls": { type: "string" },
} as const;

type Values = { readonly [flag in keyof typeof linstorFlags]?: string };

/** @throws UserError naming the flag at fault. */
export function readLinstorFlags({ linstor: url, "linstor-tls": folder }: Values): LinstorFlags | undefined {
  if (folder !== undefined && url === undefined) throw new UserError("--linstor-tls goes with --linstor URL.");
  if (folder === "") throw new UserError("--linstor-tls needs a folder.");
  if (url === undefined) return undefined;
  if (!/^https?:\/\/[^/\s]+\/?$/.test(url) || !URL.canParse(url))
    throw new UserError(
      `--linstor takes the root of LINSTOR's REST API, for example http://linstor:3370, not ${JSON.stringify(url)}.`,
    );
  return { url: url.replace(/\/$/, ""), ...(folder ? { folder: fromHere(folder) } : {}) };
}
