import { Contended } from "./contended.ts";
import { isConflict, isExpired } from "./kubernetes/api-error.ts";
import type { Kind } from "./kubernetes/kind.ts";
import { mapConcurrently } from "./map-concurrently.ts";
import { nameOf, type ObjectSubject } from "./subject.ts";

/** An object of a run that could not be looked at, and why. */
export interface LookFailure {
  readonly object: ObjectSubject;
  readonly error: unknown;
}

/**
 * Thrown by a look at several objects of which some could not be looked at: the others are decided upon all the same,
 * by these facts, and the run fails in the end. Nothing in the facts may say that the objects of the failures are gone.
 */
export class PartlyLooked<Facts = unknown> extends Error {
  override readonly name = "PartlyLooked";
  readonly facts: Facts;
  readonly failures: readonly LookFailure[];

  constructor(facts: Facts, failures: readonly LookFailure[]) {
    const [first] = failures;
    super(first ? `${nameOf(first.object)} cannot be looked at: ${String(first.error)}` : "", { cause: first?.error });
    this.facts = facts;
    this.failures = failures;
  }
}

/** With more failures than this, as many as requests are sent at once, the API server is away for all objects. */
const mostFailures = 15;

/**
 * Looks at each object by itself. One that fails leaves the others alone, unless it calls for another look at all of
 * them, none succeeds or many fail: then its error is thrown.
 */
export async function lookAtEach<T, R>(
  items: readonly T[],
  objectOf: (item: T) => ObjectSubject,
  look: (item: T) => Promise<R>,
): Promise<{ readonly looked: readonly R[]; readonly failures: readonly LookFailure[] }> {
  const failures: LookFailure[] = [];
  const results = await mapConcurrently(items, async (item): Promise<readonly R[]> => {
    try {
      return [await look(item)];
    } catch (error) {
      if (isExpired(error) || isConflict(error) || error instanceof Contended) throw error;
      failures.push({ object: objectOf(item), error });
      if (failures.length > mostFailures) throw error;
      return [];
    }
  });
  const [first] = failures;
  if (first && failures.length === items.length) throw first.error;
  return { looked: results.flat(), failures };
}

/** The facts of a look, whether or not all of its objects could be looked at. */
export async function partly<Facts>(
  look: () => Promise<Facts>,
): Promise<{ readonly facts: Facts; readonly failures: readonly LookFailure[] }> {
  try {
    return { facts: await look(), failures: [] };
  } catch (error) {
    if (!(error instanceof PartlyLooked)) throw error;
    return { facts: error.facts as Facts, failures: error.failures };
  }
}

/** The facts of a look, where all objects could be looked at. @throws PartlyLooked */
export function wholeOr<Facts>(facts: Facts, failures: readonly LookFailure[]): Facts {
  if (failures.length > 0) throw new PartlyLooked(facts, failures);
  return facts;
}

/**
 * What a look at each object of these names comes to, without those that are gone, by the rules of `lookAtEach`.
 *
 * @throws PartlyLooked
 */
export async function lookAtNamed<R>(
  kind: Kind,
  names: readonly string[],
  look: (name: string) => Promise<R | undefined>,
): Promise<readonly R[]> {
  const { looked, failures } = await lookAtEach(names, (name) => ({ kind, name }), look);
  return wholeOr(
    looked.filter((one) => one !== undefined),
    failures,
  );
}
