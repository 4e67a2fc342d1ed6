import { Cron } from "croner";

/** When a PingSource fires. */
export interface Schedule {
  /** The first moment after `now`, both in milliseconds since the epoch; `undefined` when there is none. */
  next(now: number): number | undefined;
}

const descriptors = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);
const months = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const days = "SUN MON TUE WED THU FRI SAT".split(" ");

/** The fields of a cron expression; Knative takes 5 or, with seconds in front, 6. Sunday is 0, never 7. */
const fields: { name: string; min: number; max: number; names?: string[] }[] = [
  { name: "second", min: 0, max: 59 },
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12, names: months },
  { name: "day of week", min: 0, max: 6, names: days },
];

/**
 * Reads a schedule as PingSource takes it: 5 fields, 6 with seconds, or a descriptor such as `@hourly`; `@every` is
 * refused, as are the extensions of other cron programs. Where both days are restricted either may match. Throws an
 * error that says what is wrong.
 */
export function parseSchedule(text: string, timezone: string): Schedule {
  const trimmed = text.trim();
  if (trimmed.startsWith("@every")) throw new Error("@every is not supported by PingSource");
  if (/^(CRON_)?TZ=/.test(trimmed)) throw new Error("belongs into spec.timezone: the time zone is not obeyed here");
  const pattern = descriptors.has(trimmed) ? trimmed : normalise(trimmed);
  if (!isTimezone(timezone)) throw new Error(`${JSON.stringify(timezone)} is no time zone of the IANA database`);
  const cron = new Cron(pattern, { timezone, paused: true });
  return { next: (now) => cron.nextRun(new Date(now))?.getTime() };
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function normalise(text: string): string {
  const parts = text.split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6) {
    throw new Error(`${JSON.stringify(text)} has ${parts.length} fields: 5, or 6 with seconds, make a schedule`);
  }
  const all = parts.length === 5 ? ["0", ...parts] : parts;
  return all.map((part, index) => normaliseField(part, fields[index] as (typeof fields)[number])).join(" ");
}

/** One field as croner takes it: names as numbers, `?` as `*`, and the open range `5/15` with its end. */
function normaliseField(text: string, { name, min, max, names }: (typeof fields)[number]): string {
  const number = (word: string) => {
    const named = names?.indexOf(word.toUpperCase()) ?? -1;
    const value = named >= 0 ? named + min : /^\d+$/.test(word) ? Number(word) : Number.NaN;
    if (!(value >= min && value <= max)) {
      throw new Error(`${JSON.stringify(word)} is no ${name}: ${min} to ${max} are`);
    }
    return value;
  };
  const item = (range: string) => {
    const [span = "", step, ...rest] = range.split("/");
    if (rest.length || (step !== undefined && !/^[1-9]\d*$/.test(step))) throw new Error(`${range} is no step`);
    if (span === "*" || span === "?") return step === undefined ? "*" : `${min}-${max}/${step}`;
    const [from = "", to, ...more] = span.split("-");
    if (more.length) throw new Error(`${span} is no range`);
    const first = number(from);
    if (to === undefined) return step === undefined ? String(first) : `${first}-${max}/${step}`;
    const last = number(to);
    if (last < first) throw new Error(`${span} ends before it begins`);
    return `${first}-${last}${step === undefined ? "" : `/${step}`}`;
  };
  return text.split(",").map(item).join(",");
}
