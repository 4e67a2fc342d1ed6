const units: readonly (readonly [milliseconds: number, unit: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
];

/** `2026-11-23 16:40 UTC, 3 min ago`, or `in 30 s`, of a time in RFC 3339. `now` is in milliseconds since the epoch. */
export function when(time: string, now: number): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return time;
  const distance = Math.abs(now - at);
  const [size, unit] = units.find(([milliseconds]) => distance >= milliseconds) ?? [1_000, "s"];
  const rounded = `${Math.floor(distance / size)} ${unit}`;
  const minute = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  return `${minute} UTC, ${at > now ? `in ${rounded}` : `${rounded} ago`}`;
}
