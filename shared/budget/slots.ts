/** One that is evacuated, or wants to be. */
export interface Contender {
  readonly name: string;
  readonly inProgress: boolean;
  /** Milliseconds since the epoch: since when it is in progress, or waits. */
  readonly since: number;
}

/**
 * Who may go on while at most `limit` are evacuated at a time (0: as many as there are): those that have begun, then
 * the longest waiting, then by name. Every instance that looks at the same list comes to the same answer.
 *
 * @returns the 1-based position of the one of this name, who comes before it, and whether it may go on; the last place
 * for one that is not in the list.
 */
export function slotOf(name: string, contenders: readonly Contender[], limit: number) {
  const ordered = contenders.toSorted(
    (one, other) =>
      Number(other.inProgress) - Number(one.inProgress) || one.since - other.since || (one.name < other.name ? -1 : 1),
  );
  const index = ordered.findIndex((contender) => contender.name === name);
  const position = (index < 0 ? ordered.length : index) + 1;
  const before = ordered.slice(0, position - 1).map((contender) => contender.name);
  return { position, of: Math.max(ordered.length, position), before, admitted: limit <= 0 || position <= limit };
}
