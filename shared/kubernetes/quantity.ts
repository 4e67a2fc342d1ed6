const decimalExponents: Readonly<Record<string, string>> = {
  "": "",
  n: "e-9",
  u: "e-6",
  m: "e-3",
  k: "e3",
  M: "e6",
  G: "e9",
  T: "e12",
  P: "e15",
  E: "e18",
};
const binaryFactors: Readonly<Record<string, number>> = {
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
/** How quantities are written. */
export const quantityForm = /^ *([-+]?(?:\d+\.?\d*|\.\d+))(?:([eE][-+]?\d+)|([numkMGTPE]?)|([KMGTPE]i)) *$/;

/**
 * The number that a quantity such as `1Gi`, `500m` or `2e3` stands for, as apimachinery's `resource.Quantity` reads it:
 * all spellings of one quantity give the same number. Not a number for what is none, and for what has no digit, which
 * the API server takes for 0. A fraction of a billionth stays one, where the API server rounds it up.
 */
export function quantityValue(quantity: unknown): number {
  const [, number = "none", exponent, suffix = "", binary] = quantityForm.exec(String(quantity)) ?? [];
  // The text as a whole is rounded once: 1001 * 0.001 is not 1.001.
  if (binary === undefined) return Number(number + (exponent ?? decimalExponents[suffix]));
  // The API server holds what has a binary suffix as a 64-bit integer.
  const largest = 2 ** 63;
  return Math.min(largest, Math.max(-largest, Number(number) * (binaryFactors[binary] ?? Number.NaN)));
}
