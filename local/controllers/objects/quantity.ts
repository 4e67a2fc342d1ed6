const factors: { readonly [suffix: string]: number } = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
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

/** A Kubernetes quantity (`1Gi`, `500M`, `0.5`, `1e3`) as a number; 0 when absent or unreadable. */
export function quantity(text: string | number | undefined): number {
  const [, digits, suffix = ""] = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(String(text ?? "")) ?? [];
  return Number(digits ?? 0) * (factors[suffix] ?? 0);
}
