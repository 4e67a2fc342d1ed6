const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** `3 minutes ago`, `in 2 days`; both in milliseconds since the epoch. */
export function relativeTime(time: number, now: number): string {
  const distance = time - now;
  for (const [unit, length] of units)
    if (Math.abs(distance) >= length) return words.format(Math.trunc(distance / length), unit);
  return "now";
}
