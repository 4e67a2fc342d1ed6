import { UserError } from "../../../shared/command/user-error.ts";

/**
 * Holds what gpg has said of a file (`--status-file`) to the keys that may sign it, by the fingerprints of their
 * primary keys. gpg's exit code is not enough: it is 0 also for a file that has no signature.
 *
 * @throws UserError where none of these keys has signed the file, or the one that has was revoked
 */
export function checkSigner(status: string, releasers: readonly string[]): void {
  const lines = status.split(/\r?\n/).map((line) => line.split(" "));
  const isSaid = (wanted: string) => lines.some(([prefix, word]) => prefix === "[GNUPG:]" && word === wanted);
  // The last of its fields.
  const signers = lines.flatMap(([prefix, word, ...fields]) =>
    prefix === "[GNUPG:]" && word === "VALIDSIG" ? [fields[9]] : [],
  );
  if (isSaid("REVKEYSIG") || !signers.some((signer) => signer !== undefined && releasers.includes(signer)))
    throw new UserError("No releaser of Node has signed SHASUMS256.txt. Do not use it.");
}
