import type { Options } from "../options.ts";
import { compare, playReference } from "./compare.ts";
import { describeAway, outagesOf } from "./outages-of.ts";

/** Compares sequences of each system with every outage that there is. Returns the exit code: 1 when one fails. */
export async function compareOutages(
  { outages: systems, first, runs, away: wanted, history }: Options,
  say: (text: string) => void,
): Promise<number> {
  let failed = 0;
  for (const system of systems) {
    let [compared, met, late] = [0, 0, 0];
    for (let number = first; number < first + runs; number++) {
      const reference = await playReference(system, number);
      const again = `npm run differential -- --outages --system ${system.name} --seed ${number}`;
      const { failure } = reference.run;
      if (failure) {
        failed++;
        say([`Sequence ${number} of ${system.name} fails where nothing is away.`, sayWhy(failure), again].join("\n"));
        continue;
      }
      for (const away of outagesOf(system, reference.sequence)) {
        const what = describeAway(away);
        if (!what.includes(wanted)) continue;
        const { failures, run, ...times } = await compare(reference, away);
        compared++;
        if (run.away?.isMet) met++;
        late = Math.max(late, times.late);
        if (failures.length === 0) continue;
        failed++;
        const lines = [`Sequence ${number} of ${system.name} fails while ${what} is away.`, ...failures];
        say([...(history && wanted ? [...run.trace, ""] : []), ...lines, `${again} --away "${what}"`, ""].join("\n"));
      }
    }
    say(
      `${system.name}: ${compared} outages in ${runs} sequences, numbers from ${first} on, were compared; ${met} of ` +
        `them met a request, an event or a sweep. The last made up for it in ${Math.round(late / 1000)} seconds.`,
    );
  }
  say(failed === 0 ? "All end as they do without the outage." : `${failed} do not hold.`);
  return failed === 0 ? 0 : 1;
}

const sayWhy = ({ name, message }: { readonly name: string; readonly message: string }) => `${name}: ${message}`;
