import type { Trace } from "../simulated/trace.ts";
import { type FaultRates, type Faults, randomFate } from "./fates.ts";
import type { FaultSchedule } from "./schedule.ts";

/** Loses, doubles, delays and reorders events, where they are emitted and where they are delivered. */
export function eventFaults(
  schedule: FaultSchedule,
  rates: { readonly source: FaultRates; readonly broker: FaultRates },
  trace: Trace,
  isAway: () => boolean | undefined = () => false,
): Faults {
  const counts = { source: 0, broker: 0 };
  const fateAt = (place: "source" | "broker", about: string) => {
    if (isAway()) return [];
    const name = `event ${++counts[place]} at the ${place}`;
    const fate = schedule.draw(name, (random) => {
      const drawn = randomFate(rates[place], random)();
      return drawn.length === 1 && drawn[0] === 0 ? undefined : drawn;
    });
    if (fate) trace.add(place, `${about}: ${fate.length ? `on its way after ${fate.join(" and ")} ms` : "lost"}`);
    return fate ?? [0];
  };
  return {
    source: ({ type, kind, name }) => fateAt("source", `${type?.split(".").at(-1)} of ${kind} ${name}`),
    broker: ({ type, kind, name }, trigger) =>
      fateAt("broker", `${type?.split(".").at(-1)} of ${kind} ${name} for ${trigger}`),
  };
}
