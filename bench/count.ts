import { UserError } from "../shared/command/user-error.ts";

/** A flag's value as the number of things to measure with. @throws UserError that names the flag */
export function count(flag: string, value: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new UserError(`--${flag}=${value}: a whole number above 0 is expected.`);
}
