const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const part = String.raw`(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)`;

/**
 * Milliseconds of a duration as Go's `time.ParseDuration` and `metav1.Duration` write it, for example `1h30m`;
 * `undefined` for what is none, and for one with a sign.
 */
export function readGoDuration(text: string | undefined): number | undefined {
  if (text === "0") return 0;
  if (!text || !new RegExp(`^(${part})+$`).test(text)) return undefined;
  const parts = text.matchAll(new RegExp(part, "g"));
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit as string] as number), 0);
}
