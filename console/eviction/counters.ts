import * as z from "zod";

const counters = z.record(z.string(), z.union([z.number(), z.boolean()]));

/** Whether the counters name what only a person can move. */
export const needsPerson = (message: string | undefined): boolean => Number(readCounters(message)?.unhandleable) > 0;

/** The counters in the message of the condition Evicted, as a sentence; another message as it is. */
export function countersOf(message: string | undefined): string {
  const read = readCounters(message);
  if (!read) return message ?? "";
  return Object.entries(read)
    .map(([name, count]) => `${name}: ${count}`)
    .join(", ");
}

function readCounters(message: string | undefined) {
  try {
    return counters.safeParse(JSON.parse(message ?? "")).data;
  } catch {
    return undefined;
  }
}
