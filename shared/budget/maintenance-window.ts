import { Cron } from "croner";
import { z } from "zod";
import { durationPattern, readDuration } from "../duration.ts";

/** A setting: when maintenance windows open, as a cron expression of five fields. Empty: there is always one. */
export const windowSchedule = z
  .string()
  .refine((text) => !text || isSchedule(text), "expected a cron expression of five fields such as 0 22 * * 1-5")
  .meta({ pattern: "^\\s*\\S+(\\s+\\S+){4}\\s*$" });

/** A setting: how long a window is open. */
export const windowLength = z
  .string()
  .refine((text) => (readDuration(text) ?? 0) > 0, "expected a number and a unit such as 4h")
  .meta({ pattern: durationPattern });

/** A setting: in which time zone a schedule is meant. */
export const timeZone = z.string().refine(isTimeZone, "expected a name of the IANA database such as Europe/Berlin");

/**
 * When the window that is open at `now`, or else the next one, begins: milliseconds since the epoch. `undefined`: none
 * comes any more. The settings have been checked.
 */
export function windowAt(schedule: string, length: string, zone: string, now: number): number | undefined {
  if (!schedule) return now;
  const cron = new Cron(schedule, { timezone: zone, paused: true });
  return cron.nextRun(new Date(now - (readDuration(length) ?? 0)))?.getTime();
}

function isSchedule(text: string): boolean {
  if (text.trim().split(/\s+/).length !== 5) return false;
  try {
    return new Cron(text, { paused: true }).nextRun() !== null;
  } catch {
    return false;
  }
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}
