import * as z from "zod";

const rfc3339 = z.iso.datetime({ offset: true });

/**
 * Milliseconds since the epoch of a time that a person wrote as RFC 3339 says; NaN of all else. `Date.parse` alone
 * reads a day of 2001 in "+7" and in "keep until 5", the second of January in "1.2.2030", and the second of March in
 * the thirtieth of February: a volume would be deleted too early.
 */
export function readTime(text: string): number {
  // Lower case, and a space before the time, are allowed there (section 5.6).
  const { data } = rfc3339.safeParse(text.trim().toUpperCase().replace(" ", "T"));
  return data === undefined ? Number.NaN : Date.parse(data);
}
