const rfc3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * Milliseconds since the epoch of a time that a person wrote as RFC 3339 says; NaN of all else. `Date.parse` alone
 * reads a day of 2001 in "+7" and in "keep until 5", the second of January in "1.2.2030", and the second of March in
 * the thirtieth of February: whoever acts upon it deletes too early.
 */
export function readTime(text: string): number {
  const [, day, clock, fraction = "", zone = ""] = rfc3339.exec(text.trim()) ?? [];
  const asUtc = new Date(`${day}T${clock}Z`);
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString() !== `${day}T${clock}.000Z`) return Number.NaN;
  return Date.parse(`${day}T${clock}${fraction}${zone.toUpperCase()}`);
}
