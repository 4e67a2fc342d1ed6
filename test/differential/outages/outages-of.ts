import type { ChosenOutage } from "../../harness/faults/outage.ts";
import type { Lane, Sequence } from "../../simulation/sequence.ts";
import type { System } from "../../simulation/system.ts";

/** What is away: all of something, or a part of it. */
export type Away = Pick<ChosenOutage, "what" | "part">;

/** For everything that users of a sequence need. */
const forEverything: readonly Away[] = [{ what: "api" }, { what: "events" }, { what: "sweep" }];

/** Everything that may be away in a sequence of a system: all of it, a part of it alone, and one object alone. */
export function outagesOf({ otherClusters = [] }: System, { lanes, external }: Sequence): readonly Away[] {
  const needed = [...new Set(lanes.flatMap(({ needs }) => needs))];
  const isObject = (need: string) => /^[a-z0-9]+\/[a-z0-9-]+$/.test(need);
  const clusters = otherClusters.map(({ name }) => name);
  const whole = needed.filter((need) => need === external || clusters.includes(need));
  const parts = needed.filter((need) => !isObject(need) && !whole.includes(need));
  return [
    ...forEverything,
    ...whole.map((what) => ({ what })),
    ...(external ? parts.map((part) => ({ what: external, part })) : []),
    ...needed.filter(isObject).map((part) => ({ what: "api", part })),
  ];
}

/** Whether a user has to wait while it is away. */
export const concerns = ({ what, part }: Away, { needs }: Lane): boolean =>
  part === undefined ? forEverything.some((away) => away.what === what) || needs.includes(what) : needs.includes(part);

/** For people. */
export const describeAway = ({ what, part }: Away): string => (part === undefined ? what : `${part} of ${what}`);
