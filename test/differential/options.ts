import { parseFlags, wholeNumber } from "../../shared/command/parse-flags.ts";
import { UserError } from "../../shared/command/user-error.ts";

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
}

export const usage = `Does the same random operations in two namespaces, of which one is plain
Kubernetes and one has Holdfast's policies, and looks whether all claims that
are alive in the one are alive in the other. In this process, on virtual time.

  npm run differential [-- options]

  --seed N         begin with sequence N; alone, play that one, and print what
                   happened
  --runs N         play N sequences (default: 200)
  --world NAME     "policy" with the admission policy, "no-policy" without it;
                   both otherwise
  --undelete       have undelete keep the volumes of ours, and look whether all
                   of them are there
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
    },
  });
  const { seed, runs, world } = values;
  if (world !== undefined && world !== "policy" && world !== "no-policy")
    throw new UserError(`--world takes policy or no-policy, not ${JSON.stringify(world)}.`);
  const single = seed !== undefined && runs === undefined;
  return {
    first: seed === undefined ? fresh : wholeNumber("--seed", seed, 0),
    runs: runs === undefined ? (single ? 1 : 200) : wholeNumber("--runs", runs, 1),
    admissionPolicy: world === undefined ? undefined : world === "policy",
    faults: !values["no-faults"],
    keepsVolumes: values.undelete ?? false,
    history: single,
  };
}
