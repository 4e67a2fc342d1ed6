import { find } from "../mutants/find.ts";
import type { Options } from "./options.ts";
import { runAll } from "./pool.ts";
import type { Search, Searched } from "./search-worker.ts";

const script = new URL("./search-worker.ts", import.meta.url);

/** Looks for mutants and says of each in how many runs it was found. Returns the exit code: 1 when one was not. */
export async function search({ mutants, first, workers }: Options, say: (text: string) => void): Promise<number> {
  const [only] = mutants;
  if (only && mutants.length === 1) {
    const finding = await find(only, first);
    say(finding ? [...finding.trace, "", inWords(only.name, only.within, finding)].join("\n") : missed(only.name));
    return finding ? 0 : 1;
  }
  let found = 0;
  const within = new Map(mutants.map((one) => [one.name, one.within]));
  const searches = mutants.map(({ name }): Search => ({ name, first }));
  await runAll<Search, Searched>(script, searches.values(), workers, ({ name, finding }) => {
    if (finding) found++;
    say(finding ? inWords(name, within.get(name) ?? 0, finding) : missed(name));
    return true;
  });
  say(`${found} of ${mutants.length} mutants were found, from number ${first} on.`);
  return found === mutants.length ? 0 : 1;
}

const missed = (name: string) => `${name.padEnd(34)} NOT FOUND`;

function inWords(name: string, within: number, { runs, scenario, number, failure }: NonNullable<Searched["finding"]>) {
  const count = `${runs} ${runs === 1 ? "run" : "runs"}`.padStart(8);
  return `${name.padEnd(34)} found in ${count} (of ${within}): ${failure.name}, in ${scenario} ${number}`;
}
