/** Works on all items, a few at once. Rejects with the first failure. */
export async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<unknown>, lanes = 32): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
