const suffixes: Readonly<Record<string, number>> = {
  "": 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number that a quantity such as `1Gi`, `500m` or `2e3` stands for; not a number for what is none. */
export function quantityValue(quantity: unknown): number {
  const [, number, suffix = ""] = /^([-+]?[\d.]+(?:[eE][-+]?\d+)?)([A-Za-z]*)$/.exec(String(quantity)) ?? [];
  return Number(number) * (suffixes[suffix] ?? Number.NaN);
}
