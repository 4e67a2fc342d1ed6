import { MalformedEvent } from "../../shared/event/malformed-event.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { SettingsError } from "../settings.ts";
import { SystemError } from "../system/system-error.ts";
import { visible } from "../terminal/visible.ts";

/**
 * Something the person at the keyboard has to know and can change: shown as one line on standard error, without a
 * stack.
 */
export class UserError extends Error {
  override readonly name: string = "UserError";
}

/** Whether an error's message alone is enough for its reader. */
export const isPlain = (error: unknown): error is Error =>
  [UserError, ApiError, MalformedEvent, SettingsError, SystemError].some((plain) => error instanceof plain);

/** Prints why the program ends, in one line where that is the reader's to change, and returns the exit code. */
export function complain(error: unknown): number {
  const text = isPlain(error) ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`holdfast: ${visible(text)}\n`);
  return 1;
}
