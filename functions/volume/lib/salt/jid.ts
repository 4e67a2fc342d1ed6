/**
 * A new job id in the form that Salt gives them itself: 20 digits, a moment (UTC) down to the microsecond. The whole
 * fraction of the second is random, since two instances may choose ids in the same millisecond and a minion that knows
 * a jid runs nothing for it: of two ids chosen in the same second, one pair in a million is the same.
 *
 * @param now milliseconds since the epoch
 * @param random a number in [0, 1)
 */
export function newJid(now: number, random: () => number): string {
  const second = new Date(now).toISOString().slice(0, 19).replaceAll(/\D/g, "");
  return second + String(Math.floor(random() * 1_000_000)).padStart(6, "0");
}

/**
 * Whether a text may be sent as a jid. Salt checks none: it runs `../../x`, and one with a slash can never be read
 * again.
 */
export function isJid(text: string): boolean {
  return /^\d{20}$/.test(text);
}

/** When an id was chosen, to the second: milliseconds since the epoch; 0, long ago, where the id is no time. */
export function timeOf(jid: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(jid) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) || 0;
}
