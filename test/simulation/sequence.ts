import type { Random } from "../../eventing/random.ts";
import type { Scenario } from "./scenario.ts";
import type { User } from "./user.ts";

/** One operation of a user, or what a user waits for before the next one. */
export type Step = (user: User) => Promise<unknown>;

/** What one user does, in order, to objects with which other users have nothing to do. */
export interface Lane {
  readonly name: string;
  /** What it needs: external systems and other clusters, parts of them, and objects as paths of the API server end. */
  readonly needs: readonly string[];
  /** What only one user has at a time: a user who waits for it also needs what the others need that may have it. */
  readonly turn?: string;
  readonly steps: readonly Step[];
}

/** Operations of several users at the same time, and when each of them was done with it. */
export interface Sequence {
  readonly scenario: Scenario;
  /** The external system that functions ask for it, as an outage names it. */
  readonly external: string | undefined;
  readonly lanes: readonly Lane[];
  /** When a lane was done, by its name (milliseconds of the run). */
  readonly ended: ReadonlyMap<string, number>;
  /** When what comes before them was done (milliseconds of the run). */
  prepared(): number;
}

/** What a sequence consists of besides its users. */
export interface SequenceParts extends Omit<Scenario, "name" | "doc" | "act" | "waits"> {
  readonly system: string;
  readonly external?: string;
  readonly lanes: readonly Lane[];
  /** What is done before, where nothing is away. */
  prepare?(user: User): Promise<unknown>;
}

/** Users wait for so long (milliseconds) for what depends on a function: longer than an outage. */
const patience = 660_000;
const poll = 500;
/** Operations of one user are up to so many milliseconds apart. */
const mostApart = 15_000;

/** A sequence of these lanes; pauses are drawn here, so that they do not depend on what happens meanwhile. */
export function sequenceOf({ system, external, lanes, prepare, ...more }: SequenceParts, random: Random): Sequence {
  let prepared = 0;
  const ended = new Map<string, number>();
  const pauses = lanes.map(({ steps }) => steps.map(() => random.below(mostApart)));
  const scenario: Scenario = {
    ...more,
    name: `operations-on-${system}`,
    doc: "Users do what was drawn for them, at the same time.",
    // What falls due later is found by the sweep.
    waits: true,
    async act(user) {
      const began = user.now();
      await prepare?.(user);
      prepared = user.now() - began;
      await Promise.all(
        lanes.map(async ({ name, steps }, lane) => {
          for (const [index, step] of steps.entries()) {
            await user.sleep(pauses[lane]?.[index] ?? 0);
            await step(user);
          }
          ended.set(name, user.now() - began);
        }),
      );
    },
  };
  return { scenario, external, lanes, ended, prepared: () => prepared };
}

/** Waits for something that may take as long as an outage. */
export async function patiently(user: User, what: (user: User) => Promise<boolean>): Promise<void> {
  const until = user.now() + patience;
  while (!(await what(user)) && user.now() < until) await user.sleep(poll);
}
