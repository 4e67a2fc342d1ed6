/**
 * Takes a step for each item: one by one until one says `stop` or fails; or in batches of 1, 2, 4, ... at once, where a
 * batch in which one fails is the last, so that what can only fail fails a few times and not a thousand. Returns
 * whether all went through.
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
  for (let done = 0, size = 1; done < items.length; done += size, size *= 2) {
    const outcomes = await Promise.allSettled(items.slice(done, done + size).map(step));
    const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    if (failures.length === 1) throw failures[0];
    if (failures.length) throw new AggregateError(failures, failures.map(String).join("; "));
  }
  return true;
}
