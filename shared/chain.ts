/** One step of a chain of rules. */
export interface Link<Facts, Name extends string> {
  readonly step: Name;
  /** What the step is for, as a person would say it. */
  readonly doc: string;
  /** Whether the step has been done, by what was read; derived anew each time, never from what is written down. */
  done(facts: Facts): boolean;
}

/**
 * The step that is to be done next: the first of the chain that is not done; `undefined` when all are. Every rule of a
 * chain asks this, and acts only when the answer is its own.
 */
export function nextOf<Facts, Name extends string>(
  chain: readonly Link<Facts, Name>[],
  facts: Facts,
): Name | undefined {
  return chain.find((link) => !link.done(facts))?.step;
}
