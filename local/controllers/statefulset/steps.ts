/**
 * Takes a step for each item: one by one until one says `stop` or fails, or all at once. Returns whether all went
 * through.
 */
export async function forEachOf<T>(
  items: readonly T[],
  oneByOne: boolean,
  step: (item: T) => Promise<"next" | "stop">,
): Promise<boolean> {
  if (oneByOne) {
    for (const item of items) if ((await step(item)) === "stop") return false;
    return true;
  }
  const outcomes = await Promise.allSettled(items.map(step));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
  return true;
}
