/** Milliseconds since the epoch as the `time` of an event: RFC 3339 in UTC without trailing zeros, as Go writes it. */
export const timestamp = (now: number): string => new Date(now).toISOString().replace(/\.?0*Z$/, "Z");

const canonical = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d*[1-9])?Z$/;
const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * The canonical form of an RFC 3339 time, in which a subscriber sees it in any case; `undefined` when
 * it is no such time. Keeps fractions of a second to the nanosecond.
 */
export function canonicalTime(text: string): string | undefined {
  if (canonical.test(text)) return Number.isNaN(Date.parse(text)) ? undefined : text;
  const fraction = rfc3339.exec(text)?.[1] ?? "";
  const seconds = Date.parse(text.replace(fraction, "").toUpperCase());
  if (!rfc3339.test(text) || Number.isNaN(seconds)) return undefined;
  const digits = fraction.slice(0, 10).replace(/\.?0*$/, "");
  return new Date(seconds).toISOString().replace(".000Z", `${digits}Z`);
}
