/**
 * How long ago a timestamp is, as kubectl prints ages: `5s`, `3m20s`, `7h5m`, `2d`; `<unknown>` without a timestamp.
 */
export function ageOf(timestamp: unknown, now: number): string {
  const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(at) ? "<unknown>" : duration(now - at);
}

/** A duration in milliseconds with no more precision than it deserves. */
export function duration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return `${minutes}m${unless0(seconds % 60, "s")}`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return `${hours}h${unless0(minutes % 60, "m")}`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return `${days}d${unless0(hours % 24, "h")}`;
  return `${days}d`;
}

const unless0 = (amount: number, unit: string) => (amount === 0 ? "" : `${amount}${unit}`);
