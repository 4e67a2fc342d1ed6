/** So many requests at once hide the time on their way, and do not crowd out the API server's other users. */
const usual = 16;

/**
 * Maps items to results in the order of the items, and works on at most `atOnce` of them at the same time. Rejects as
 * `Promise.all` does, and then begins with no further item.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  atOnce = usual,
): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  let failed = false;
  const lane = async () => {
    for (const [index, item] of waiting) {
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  return results;
}
