import { type About, about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { readProgress } from "../../../shared/progress.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { type EvacuationFacts, type Standing, type StepName, stepOf } from "./evacuation.ts";
import { LinstorSatellite } from "./kinds.ts";
import { readNote } from "./linstor-note.ts";
import type { LeavingSeen, SatelliteSeen } from "./look.ts";
import { recordKey, writeRecord } from "./record.ts";
import { evacuationReport, removalReport } from "./report.ts";
import { conditionWrites } from "./satellite.ts";

/**
 * The steps that rules of the chain leave a satellite in. `acting`: the rule looks once more what has come of it, and
 * moves on.
 */
export const passedSteps = { acting: silent, waiting: silent };
/** The same for a step that only a person may be able to end. */
export const chainSteps = { ...passedSteps, stuck: warning("EvacuationStuck") };

/** A satellite whose next step is the asking rule's own. */
export interface StepContext extends LeavingSeen {
  readonly facts: EvacuationFacts;
  readonly standing: Standing;
  readonly now: number;
  readonly about: About;
  /** When to look again for what no event says: milliseconds since the epoch. */
  readonly next: number;
  /** Writes, and another look at what has come of them. */
  act(because: string, writes: readonly Write[], record?: Parameters<typeof writeRecord>[2]): Decision;
  /** Says what is waited for, in condition and annotation. */
  wait(record?: Parameters<typeof writeRecord>[2]): Decision;
}

/** Where the evacuation of a satellite stands; before it has begun it is at its first step, whatever there is to do. */
export function standingOf({ record, facts }: LeavingSeen, now: number): Standing {
  const standing = stepOf({ ...facts, now });
  return record ? standing : { ...standing, step: "mark" };
}

/**
 * The decisions of a rule of the chain: `act` for each satellite whose next step is its own, and nothing for the
 * others, of which it forgets what it has written down.
 */
export function decideStep(
  own: StepName,
  seen: readonly (SatelliteSeen | LeavingSeen)[],
  now: number,
  act: (context: StepContext) => readonly Decision[],
): readonly Decision[] {
  return seen.flatMap((one) => {
    const at = about(LinstorSatellite, one.satellite);
    const title = `LinstorSatellite ${one.satellite.metadata.name}`;
    if (!("facts" in one)) return [at.leave(one.foreign ?? `${title} is not being evacuated.`)];
    const standing = standingOf(one, now);
    if (standing.step !== own) return [at.leave(`The evacuation of ${title} is not at the step ${own}.`)];
    if (isToBeNoted(one)) {
      // Before anything is removed there: a node that is gone then cannot say any more that it was this one.
      const because = `${title} is to say in which LINSTOR its node is.`;
      return [at.write(because, [annotate(LinstorSatellite, one.satellite, one.note)], { step: "kept" })];
    }
    return act(contextOf(own, one, standing, now, at));
  });
}

/**
 * LINSTOR lists its node, and what is written down about that is of another address, or nothing: it was begun by a
 * function that did not write it down yet. What is begun now is noted with its beginning.
 */
const isToBeNoted = ({ satellite, record, note, facts }: LeavingSeen) =>
  (record ?? readNote(satellite)) !== undefined && facts.data !== undefined && Object.keys(note).length > 0;

function contextOf(own: StepName, seen: LeavingSeen, standing: Standing, now: number, at: About): StepContext {
  const { satellite } = seen;
  const next = nextLook(satellite, `satellite/${own}`, now, seen.again);
  const recording = (changes: Parameters<typeof writeRecord>[2]): readonly Write[] => {
    const text = writeRecord(satellite, now, changes);
    const isNew = satellite.metadata.annotations?.[recordKey] !== text;
    // Where the node is, is written down with its beginning.
    const note = seen.record ? {} : seen.note;
    return isNew ? [annotate(LinstorSatellite, satellite, { ...note, [recordKey]: text })] : [];
  };
  return {
    ...seen,
    facts: { ...seen.facts, now },
    standing,
    now,
    about: at,
    next,
    // The record comes first: hooks that were released are not put back where it is.
    act: (because, writes, changes) =>
      at.write(because, [...recording(changes), ...reportWrites(seen, { ...standing, because }, now), ...writes], {
        step: { name: "acting" },
        next,
      }),
    wait: (changes) =>
      at.write(standing.because, [...recording(changes), ...reportWrites(seen, standing, now)], {
        step: { name: standing.stuck ? "stuck" : "waiting" },
        next,
      }),
  };
}

/** Milliseconds by which the clocks of two instances may be apart: one a minute ahead, the other as much behind. */
const apart = 120_000;

/**
 * When to look again: what is written down stays until it has passed, because each write comes back as an event.
 * Milliseconds since the epoch; `again` is how long after `now` at most. What an instance has written whose clock is
 * ahead stays, too: otherwise two instances would write their own times over each other's for as long as both run.
 */
export function nextLook(object: KubernetesObject, ruleName: string, now: number, again = 10_000): number {
  const written = Date.parse(readProgress(object, ruleName)?.next ?? "");
  return written > now && written <= now + again + apart ? written : now + again;
}

/** The conditions that show where an evacuation stands. */
export function reportWrites({ satellite, facts }: LeavingSeen, standing: Standing, now: number): readonly Write[] {
  const removal = facts.satellite.deleting ? [removalReport(standing)] : [];
  return conditionWrites(satellite, [...evacuationReport(standing), ...removal], now);
}
