import type { RecordedWatch, WatchLine } from "./recorded-watch.ts";
import type { Bench } from "./server.ts";

/** When a line of a watch happened: one counter serves all kinds, and puts them into one order. */
export const versionOf = ({ object }: WatchLine): number => Number(object.metadata.resourceVersion);

/**
 * All changes that watches have shown up to one moment, in the order in which they happened. Each kind's watch is late
 * by itself: nothing from before that moment is missing in one of them, so that a pod is not there any more where the
 * claim that it held has gone after it.
 */
export async function historyOf(
  { eventually }: Bench,
  watches: readonly RecordedWatch[],
): Promise<readonly WatchLine[]> {
  const changes = () =>
    watches
      .flatMap(({ lines }) => lines)
      .filter(({ type }) => ["ADDED", "MODIFIED", "DELETED"].includes(type))
      .toSorted((a, b) => versionOf(a) - versionOf(b));
  const areUpToDate = async () => {
    for (const watch of watches)
      await eventually("the history is written", () => watch.status === 200 && watch.isUpToDate());
  };
  await areUpToDate();
  const last = changes().at(-1);
  await areUpToDate();
  return last ? changes().filter((line) => versionOf(line) <= versionOf(last)) : [];
}
