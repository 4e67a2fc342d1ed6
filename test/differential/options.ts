import { parseFlags, wholeNumber } from "../../shared/command/parse-flags.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { System } from "../simulation/system.ts";
import { systems } from "../simulation/systems.ts";

/** What `npm run differential` was asked for. */
export interface Options {
  readonly first: number;
  readonly runs: number;
  /** Whether the admission policy is installed; `undefined`: once without it and once with it. */
  readonly admissionPolicy: boolean | undefined;
  readonly faults: boolean;
  /** Whether the namespace of ours asks undelete to keep its volumes. */
  readonly keepsVolumes: boolean;
  /** Print what happened although nothing fails. */
  readonly history: boolean;
  /** Compare runs with an outage to the same without it, in these systems, instead. */
  readonly outages: readonly System[];
  /** Only outages whose description contains this. */
  readonly away: string;
}

export const usage = `Does the same random operations in two namespaces, of which one is plain
Kubernetes and one has Holdfast's policies, and looks whether all claims that
are alive in the one are alive in the other. In this process, on virtual time.

  npm run differential [-- options]

  --seed N         begin with sequence N; alone, play that one, and print what
                   happened
  --runs N         play N sequences (default: 200; 5 of each system with
                   --outages)
  --world NAME     "policy" with the admission policy, "no-policy" without it;
                   both otherwise
  --undelete       have undelete keep the volumes of ours, and look whether all
                   of them are there
  --outages        instead: do random operations in every system of Holdfast, once
                   while all is there, and once for each thing that they need
                   while that is away, and look whether it ends alike
  --system NAME    with --outages: only this system
  --away TEXT      with --outages: only what has this in its name
  --no-faults      lose no event, fail no request, stop no function
  --help           this text
`;

/** Reads a command line; `fresh` is where sequences begin when no seed is given. Throws a {@link UserError}. */
export function readOptions(args: readonly string[], fresh: number): Options {
  const { values } = parseFlags("npm run differential", {
    args: [...args],
    options: {
      seed: { type: "string" },
      runs: { type: "string" },
      world: { type: "string" },
      undelete: { type: "boolean" },
      "no-faults": { type: "boolean" },
      outages: { type: "boolean" },
      system: { type: "string" },
      away: { type: "string" },
    },
  });
  const { seed, runs, world } = values;
  if (world !== undefined && world !== "policy" && world !== "no-policy")
    throw new UserError(`--world takes policy or no-policy, not ${JSON.stringify(world)}.`);
  if (!values.outages && (values.system !== undefined || values.away !== undefined))
    throw new UserError("--system and --away need --outages.");
  if (values.outages && (world !== undefined || values.undelete || values["no-faults"]))
    throw new UserError("--outages has worlds and faults of its own; leave --world, --undelete and --no-faults out.");
  const chosen = values.system === undefined ? systems : systems.filter(({ name }) => name === values.system);
  if (chosen.length === 0)
    throw new UserError(
      `No system is called ${values.system}. There are ${systems.map(({ name }) => name).join(", ")}.`,
    );
  const single = seed !== undefined && runs === undefined;
  return {
    first: seed === undefined ? fresh : wholeNumber("--seed", seed, 0),
    runs: runs === undefined ? (single ? 1 : values.outages ? 5 : 200) : wholeNumber("--runs", runs, 1),
    admissionPolicy: world === undefined ? undefined : world === "policy",
    faults: !values["no-faults"],
    keepsVolumes: values.undelete ?? false,
    history: single,
    outages: values.outages ? chosen : [],
    away: values.away ?? "",
  };
}
