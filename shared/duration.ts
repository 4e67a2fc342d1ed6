/** In milliseconds. */
export const minute = 60_000;

/** What `readDuration` reads, as the chart holds values to it. */
export const durationPattern = "^\\s*[0-9]{1,9}[smhd]\\s*$";

const units = { s: 1000, m: minute, h: 3_600_000, d: 86_400_000 };
/** Longer than any time that is meant. It keeps a due time a date that can be written. */
const longest = 100 * 365 * units.d;

/**
 * Milliseconds of one number and one unit, as people write it: `90s`, `30m`, `24h`, `7d`. `undefined` when it cannot be
 * read.
 */
export function readDuration(text: string): number | undefined {
  const [, digits, unit] = /^([0-9]{1,9})([smhd])$/.exec(text.trim()) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  const duration = Number(digits) * units[unit as keyof typeof units];
  return duration <= longest ? duration : undefined;
}
