import { expect, test } from "vitest";
import { mutants, systems } from "../../simulation/systems.ts";
import { compare, playReference } from "./compare.ts";
import { outagesOf } from "./outages-of.ts";

/** Sequences in which a rule with a fault is looked for. */
const within = 4;

const found = mutants.filter(({ by, inScenariosOnly }) => by === "outages" && !inScenariosOnly);

test.each(found.map((mutant) => ({ name: mutant.name, mutant })))(
  `$name is found in ${within} sequences`,
  { timeout: 600_000 },
  async ({ mutant }) => {
    const system = systems.find((one) => one.mutants.includes(mutant));
    if (!system) throw new Error("It is of no system.");
    for (let number = 1; number <= within; number++) {
      const played = await playReference(system, number);
      // What asks an external system wrongly is not found by an outage of anything else.
      const outages = outagesOf(system, played.sequence).filter(({ what }) => what === played.sequence.external);
      for (const away of outages) {
        const { failures } = await compare(played, away, { [mutant.rule]: mutant.start });
        if (failures.length > 0) return;
      }
    }
    expect.fail(`Not found: ${mutant.doc}`);
  },
);
