import { z } from "zod";

/** A setting that is a whole number: `least`, or more, up to `most` where that is said. */
export function wholeNumber(least: number, most?: number) {
  const number = z.coerce.number().int().min(least);
  return most === undefined ? number : number.max(most);
}
