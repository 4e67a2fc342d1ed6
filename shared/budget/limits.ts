import { z } from "zod";
import { admit, isNever, type Member, maxUnavailable } from "./budget.ts";
import { timeZone, windowAt, windowLength, windowSchedule } from "./maintenance-window.ts";

/** What limits when evacuations begin. */
export interface Limits {
  /** `annotation`: only when a person has agreed. */
  readonly approval: "annotation" | "none";
  /** How many of a group may be out at a time, as a number or a percentage. */
  readonly maxUnavailable: string;
  /** When maintenance windows open, as cron; empty: there is always one. */
  readonly window: string;
  /** As `4h`. */
  readonly windowLength: string;
  readonly timeZone: string;
}

/** Names of settings: `window` of evictions is `evictionWindow`, and `EVICTION_WINDOW` in the environment. */
type Named<Noun extends string, Shape> = { [Key in keyof Shape & string as `${Noun}${Capitalize<Key>}`]: Shape[Key] };
const named = (noun: string, key: string) => `${noun}${key[0]?.toUpperCase()}${key.slice(1)}`;

/**
 * Settings of budget and windows. `noun` and `members` are what the system calls its evacuations, and those that go
 * out; `most` is how many may by default.
 */
export function limitSettings<Noun extends "eviction" | "evacuation">(noun: Noun, members: string, most: string) {
  const settings = {
    maxUnavailable: maxUnavailable
      .default(most)
      .describe(
        `How many ${members} of a group may be out at the same time: a number or a percentage (rounded down, one at ` +
          `least). An ${noun} begins when fewer are out. 0: each ${noun} needs a person's agreement.`,
      ),
    groupLabel: z
      .string()
      .max(316)
      .default("")
      .describe(
        "Label of Nodes, such as topology.kubernetes.io/zone: Nodes with the same value are a group. Empty: one group.",
      ),
    window: windowSchedule
      .default("")
      .describe(`When maintenance windows open, in which ${noun}s may begin: cron, five fields. Empty: at any time.`),
    windowLength: windowLength.default("4h").describe("How long a maintenance window is open."),
    timeZone: timeZone.default("UTC").describe("The time zone of maintenance windows, such as Europe/Berlin."),
  };
  const entries = Object.entries(settings).map(([key, schema]) => [named(noun, key), schema]);
  return Object.fromEntries(entries) as Named<Noun, typeof settings>;
}

/** What the settings say. */
export function limitsOf<Noun extends string>(noun: Noun, settings: Named<Noun, Limits>): Limits {
  const keys: readonly (keyof Limits)[] = ["approval", "maxUnavailable", "window", "windowLength", "timeZone"];
  const read = settings as Readonly<Record<string, unknown>>;
  return Object.fromEntries(keys.map((key) => [key, read[named(noun, key)]])) as unknown as Limits;
}

/** Whether a person agrees, by the annotation's value, or has said nothing and need not agree. */
export const isAgreed = (said: string | undefined, { approval, maxUnavailable }: Limits): boolean =>
  said === undefined ? approval === "none" && !isNever(maxUnavailable) : said === "true";

/** What is waited for, as sentences, and when it is over at the latest, in milliseconds since the epoch. */
export interface Waits {
  readonly message: string;
  readonly next?: number;
}

/**
 * Whether `me` may begin: a window is open, and the budget has room. `granted` are the uids of those that were admitted
 * before; `setting` is the name of the window's setting. Times are in milliseconds since the epoch.
 *
 * @returns who is granted with this one, or what it waits for
 */
export function mayBegin(
  me: Member,
  members: readonly Member[],
  granted: readonly string[],
  { window, windowLength, timeZone, maxUnavailable }: Limits,
  { setting, noun }: { readonly setting: string; readonly noun: string },
  now: number,
): Waits | { readonly granted: readonly string[] } {
  const opens = windowAt(window, windowLength, timeZone, now);
  if (opens === undefined) return { message: `It cannot begin: ${setting} names no window in the future. Correct it.` };
  if (opens > now)
    return { message: `It begins when a maintenance window opens: ${new Date(opens).toISOString()}.`, next: opens };
  const verdict = admit(me, members, granted, maxUnavailable);
  if (verdict.admitted) return { granted: verdict.granted };
  const group = me.group ? ` of the group ${me.group}` : "";
  return {
    message:
      `It waits. Of the ${verdict.of} ${noun}${group}, at most ${verdict.most} may be out at the same time. Out now: ` +
      `${verdict.out.join(", ")}.`,
  };
}
