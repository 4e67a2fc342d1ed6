/** A job id as Salt makes one: the moment (UTC) down to the microsecond. */
export function jidAt(now: number, microseconds: number): string {
  const moment = new Date(now).toISOString().slice(0, 23).replaceAll(/\D/g, "");
  return moment + String(microseconds % 1000).padStart(3, "0");
}

/** The moment that an id names, as Salt writes it; nothing for an id that is none. */
export function startTimeOf(jid: string): string {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{6})$/.exec(jid);
  if (!parts) return "";
  const [, year, month, day, hour, minute, second, fraction] = parts;
  const name = new Date(Date.UTC(2000, Number(month) - 1)).toLocaleString("en", { month: "short", timeZone: "UTC" });
  return `${year}, ${name} ${day} ${hour}:${minute}:${second}.${fraction}`;
}
