import { parentPort } from "node:worker_threads";
import { type Finding, find } from "../mutants/find.ts";
import { mutants } from "../systems.ts";

/** A mutant that is to be looked for. */
export interface Search {
  readonly name: string;
  /** The number of the first run. */
  readonly first: number;
}

/** What comes back for each {@link Search}. */
export interface Searched {
  readonly name: string;
  readonly finding: Omit<Finding, "trace"> | undefined;
}

parentPort?.on("message", async ({ name, first }: Search) => {
  const one = mutants.find((each) => each.name === name);
  if (!one) throw new Error(`No mutant is called ${name}.`);
  const { trace: _, ...finding } = (await find(one, first)) ?? {};
  const searched: Searched = { name, finding: "runs" in finding ? finding : undefined };
  parentPort?.postMessage(searched);
});
