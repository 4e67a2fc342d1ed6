import * as z from "zod";

const counters = z.record(z.string(), z.union([z.number(), z.boolean()]));

/** The counters in the message of the condition Evicted, as a sentence; another message as it is. */
export function countersOf(message: string | undefined): string {
  if (!message) return "";
  try {
    const read = counters.safeParse(JSON.parse(message));
    if (!read.success) return message;
    return Object.entries(read.data)
      .map(([name, count]) => `${name}: ${count}`)
      .join(", ");
  } catch {
    return message;
  }
}
