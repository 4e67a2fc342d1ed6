import type { BuildFailure } from "esbuild";
import { UserError } from "../../shared/command/user-error.ts";

/**
 * What esbuild has rejected with, as an error for people; anything else as it is. esbuild itself shows what is wrong in
 * a source, and where, but not that a file could not be written.
 */
export function bundlingFault(cause: unknown): unknown {
  const { errors } = cause as Partial<BuildFailure>;
  if (!Array.isArray(errors)) return cause;
  const why = errors[0]?.text ?? "esbuild does not say why";
  return new UserError(`The functions cannot be bundled: ${why}`, { cause });
}
