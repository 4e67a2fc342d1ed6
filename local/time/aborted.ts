/**
 * Rejects when `signal` aborts, with its reason, and never resolves: for races with work that does not look at it. To
 * be had once for each signal, because its listener stays.
 */
export function aborted(signal: AbortSignal): Promise<never> {
  const rejected = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  // Who has won a race meanwhile does not look any more.
  rejected.catch(() => {});
  return rejected;
}
