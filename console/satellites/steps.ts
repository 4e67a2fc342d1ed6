import type { LastWord } from "../api/progress.ts";

/** The nine steps of the document, in their order; each is taken by the rule of its name. */
export const nineSteps = [
  { name: "mark", title: "Mark volumes" },
  { name: "await-satellites", title: "Wait for satellites" },
  { name: "release-drain", title: "Allow the drain" },
  { name: "await-reattach", title: "Wait for volumes" },
  { name: "evacuate", title: "Evacuate" },
  { name: "await-empty", title: "Wait until empty" },
  { name: "unmark", title: "Remove marks" },
  { name: "release-terminate", title: "Allow the shutdown" },
  { name: "remove", title: "Remove" },
] as const;

/**
 * The place of the step that an evacuation is in, as it is written down: that of the rule with the latest word. The
 * functions derive it from LINSTOR, which the console does not ask.
 */
export function stepNow(words: readonly LastWord[], reason: string | undefined): number {
  const places = words
    .map(({ rule, since }) => ({ place: nineSteps.findIndex(({ name }) => rule === `satellite/${name}`), since }))
    .filter(({ place }) => place >= 0)
    .toSorted((one, other) => (one.since < other.since ? 1 : one.since > other.since ? -1 : other.place - one.place));
  const latest = places[0]?.place ?? 0;
  const afterData = nineSteps.findIndex(({ name }) => name === "unmark");
  return reason === "Completed" ? Math.max(latest, afterData) : latest;
}
