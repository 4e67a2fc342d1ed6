/**
 * The value below which the share `q` (0 to 1) of the values lies; the mean of the two nearest where it lies between
 * them.
 */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (below === undefined || above === undefined) throw new Error("Of no values there is no quantile.");
  return below + (above - below) * (at - Math.floor(at));
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

/**
 * Measures several subjects in turn, round after round, so that all other work of the machine falls on all of them
 * alike. Answers with the measurements of each, in the order of the subjects.
 */
export async function interleave<Subject, Result>(
  rounds: number,
  subjects: readonly Subject[],
  measure: (subject: Subject) => Promise<Result>,
): Promise<Result[][]> {
  const results: Result[][] = subjects.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, subject] of subjects.entries()) results[index]?.push(await measure(subject));
  }
  return results;
}
