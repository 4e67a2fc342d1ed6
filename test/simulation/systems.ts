import { globSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { readInstallation } from "../harness/installation.ts";
import type { Mutant } from "./mutants/mutant.ts";
import type { Scenario } from "./scenario.ts";
import type { System } from "./system.ts";

/** Every system that is simulated: each folder beside this file that has a `system.ts`, which exports it alone. */
export const systems: readonly System[] = await Promise.all(
  globSync(`${import.meta.dirname}/*/system.ts`)
    .sort()
    .map(async (file) => Object.values(await import(/* @vite-ignore */ pathToFileURL(file).href))[0] as System),
);

/** Every scenario of every system. */
export const scenarios: readonly Scenario[] = systems.flatMap((system) => system.scenarios);

/** Every mutant of every system. */
export const mutants: readonly Mutant[] = systems.flatMap((system) => system.mutants);

/** The scenario of a name. Throws, naming all there are, when there is none. */
export function scenarioNamed(name: string): Scenario {
  return byName(scenarios, name, "scenario");
}

/** The system of a name. Throws, naming all there are, when there is none. */
export function systemNamed(name: string): System {
  return byName(systems, name, "system");
}

/** The systems of which functions are installed in a scenario. */
export function systemsIn({ setting }: Scenario): readonly System[] {
  const present = new Set(
    readInstallation(setting).services.map(({ image }) => image.replace("fn://", "").split("/")[0]),
  );
  return systems.filter(({ name }) => present.has(name));
}

function byName<T extends { readonly name: string }>(all: readonly T[], name: string, what: string): T {
  const found = all.find((one) => one.name === name);
  if (found) return found;
  throw new Error(`No ${what} is called ${name}. There are ${all.map((one) => one.name).join(", ")}.`);
}
