import { fromHere } from "../../../shared/command/from-here.ts";
import { UserError } from "../../../shared/command/user-error.ts";

/** The Salt that `--salt` names, and how to log in to it; files are read when it is reached. */
export interface SaltFlags {
  readonly url: string;
  readonly username: string;
  readonly eauth: string;
  /** A file, or the password itself from the environment. */
  readonly password: { readonly file: string } | { readonly text: string };
  readonly authorityFile?: string;
  /** The minion to work on; the only one, where none is named. */
  readonly minion?: string;
}

export const saltFlags = {
  salt: { type: "string" },
  "salt-user": { type: "string" },
  "salt-eauth": { type: "string" },
  "salt-password-file": { type: "string" },
  "salt-ca": { type: "string" },
  minion: { type: "string" },
} as const;

type Values = { readonly [flag in keyof typeof saltFlags]?: string };

/** @throws UserError naming the flag at fault, or what is missing. */
export function readSaltFlags(
  values: Values,
  environment: Readonly<Record<string, string | undefined>>,
): SaltFlags | undefined {
  const { salt: url, minion } = values;
  const flags = Object.keys(saltFlags) as (keyof Values)[];
  if (url === undefined) {
    const stray = flags.find((flag) => values[flag] !== undefined);
    if (stray) throw new UserError(`--${stray} goes with --salt URL.`);
    return undefined;
  }
  const empty = flags.find((flag) => values[flag] === "");
  if (empty) throw new UserError(`--${empty} needs a value.`);
  if (!/^https?:\/\/[^/\s]+\/?$/.test(url) || !URL.canParse(url))
    throw new UserError(
      `--salt takes the root of salt-api, for example https://salt-master:4507, not ${JSON.stringify(url)}.`,
    );
  if (values["salt-ca"] && url.startsWith("http:"))
    throw new UserError("--salt-ca is for a URL that begins with https.");
  if (minion !== undefined && !/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(minion))
    throw new UserError(
      `--minion takes the id of a minion, which is a node's name too, not ${JSON.stringify(minion)}.`,
    );
  const file = values["salt-password-file"];
  const text = environment.SALT_PASSWORD;
  if (!file && !text)
    throw new UserError(
      "Put the password of the Salt account into a file for --salt-password-file, or in SALT_PASSWORD.",
    );
  return {
    url: url.replace(/\/$/, ""),
    username: values["salt-user"] ?? (environment.SALT_USERNAME || "holdfast"),
    eauth: values["salt-eauth"] ?? (environment.SALT_EAUTH || "holdfast"),
    password: file ? { file: fromHere(file) } : { text: text as string },
    ...(values["salt-ca"] ? { authorityFile: fromHere(values["salt-ca"]) } : {}),
    ...(minion ? { minion } : {}),
  };
}
