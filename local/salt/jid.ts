/** A job id as Salt makes one: the moment (UTC) down to the microsecond. */
export function jidAt(now: number, microseconds: number): string {
  const moment = new Date(now).toISOString().slice(0, 23).replaceAll(/\D/g, "");
  return moment + String(microseconds % 1000).padStart(3, "0");
}
