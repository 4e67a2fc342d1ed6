import type { output, ZodObject } from "zod";
import { type About, about } from "../about.ts";
import type { Call, Decision } from "../decision.ts";
import { minute } from "../duration.ts";
import type { Hint } from "../event/hint.ts";
import { kindAmong, objectsIn } from "../event/objects-in.ts";
import { conditionOf } from "../kubernetes/condition.ts";
import { conditionWrites } from "../kubernetes/condition-writes.ts";
import type { Kind } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isStatus, type Write } from "../kubernetes/write.ts";
import { type LookFailure, lookAtEach, partly, wholeOr } from "../look-at-each.ts";
import { type Progress, readProgress } from "../progress.ts";
import { progressNameOf, type Rule, rule, type View } from "../rule.ts";
import { type Steps, silent, warning } from "../steps.ts";
import type { ObjectSubject, Subject } from "../subject.ts";
import type { Command } from "../system/command.ts";
import type { Systems } from "../system/system.ts";
import { type Away, orAway, waitsFor } from "./away.ts";
import { type Chain, type ChainPosition, stepOf, takerOf } from "./chain.ts";
import type { Facts, InChain, Known, Looked } from "./facts.ts";
import { halting, hasLasted, stuck } from "./has-lasted.ts";

/** The objects of a run, each with its facts. */
export interface Seen<O extends InChain, K extends Known> {
  readonly seen: readonly Looked<O, K>[];
}

/** An object whose next step is the rule's own. */
export type StepContext<O extends InChain, K extends Known, Name extends string = string> = O & {
  readonly facts: K;
  readonly standing: ChainPosition<Name>;
  /** Another rule has not yet taken back that a system is away: until then nothing else is shown. */
  readonly isAway: boolean;
  readonly now: number;
  readonly about: About;
  /** When to look again for what no event says: milliseconds since the epoch. */
  readonly next: number;
  /** The writes by which the object's conditions show where it stands, with changes. */
  shows(changes?: Partial<ChainPosition<Name>>): readonly Write[];
  /** Writes, and another look at what has come of them. `first` are made before the conditions are. */
  act(message: string, writes: readonly Write[], first?: readonly Write[]): Decision;
  /** Says what is waited for, in condition and annotation. */
  wait(first?: readonly Write[]): Decision;
  /** Waits with words of its own until `until` at the latest, or for an event alone, unless a system is away. */
  pause(message: string, until?: number, first?: readonly Write[]): Decision;
  /** Asks a system for something. `first` are made before the conditions are. */
  call(message: string, command: Command, first?: readonly Write[], more?: AroundCall): Decision;
};

/** What is read right before a call, and what is written once it is known what has come of it. */
type AroundCall = Pick<Call, "preconditions" | "answered" | "refused" | "unsent">;

/** What a rule adds to its chain. */
interface StepRule<
  Schema extends ZodObject,
  Used extends Systems,
  O extends InChain,
  K extends Known,
  Name extends string,
  More extends object,
  Own extends Systems,
> extends Pick<Rule<Schema, never, Used>, "doc" | "permissions" | "finalizers" | "progressName">,
    Partial<Pick<Rule<Schema, never, Used>, "triggers" | "sweep">> {
  /**
   * External systems besides those of the chain, for `look`. What is away there is the rule's own to say: the kit says
   * it only of what the chain asks.
   */
  readonly systems?: Own;
  /** Steps in which the rule leaves an object besides those that every rule of a chain has. */
  readonly steps?: Steps;
  /** Whether Kubernetes alone shows that an object is at another step: no external system is asked about it then. */
  isElsewhere?(one: O): boolean;
  /** Instead of the object of an event. `own` are the objects of the chain that an event is about. */
  subjects?(hint: Hint, own: readonly Subject[]): readonly Subject[];
  /** Where the rule reads more than the chain does. The chain looks when `seen` is called. */
  look?(
    subject: Subject,
    view: View<output<Schema>, Used & Own>,
    seen: () => Promise<readonly Looked<O, K>[]>,
  ): Promise<Seen<O, K> & More>;
  /** What the rule does besides, whichever step an object is at. */
  beside?(facts: Seen<O, K> & More, now: number): readonly Decision[];
  /** Takes the step of an object that is at it. */
  act(context: StepContext<O, K, Name>, facts: Seen<O, K> & More): readonly Decision[];
}

/**
 * The rule that takes the step of its name in a chain, or the steps that name it: it acts upon each object whose next
 * step is its own, and forgets what it has written down about the others.
 *
 * @throws Error when no step of the chain is the rule's, or one may be stuck and the chain names no Warning for it
 */
export function chainRule<
  Schema extends ZodObject,
  Used extends Systems,
  O extends InChain,
  K extends Known,
  Name extends string,
  More extends object = object,
  Own extends Systems = Used,
>(
  chain: Chain<Schema, Used, O, K, Name>,
  word: string,
  {
    systems,
    steps,
    isElsewhere,
    subjects,
    look,
    beside,
    act,
    ...declared
  }: StepRule<Schema, Used, O, K, Name, More, Own>,
): Rule<Schema, Seen<O, K> & More, Used & Own> {
  const own = chain.steps.filter((one) => takerOf(one) === word);
  const [ownStep] = own;
  if (!ownStep) throw new Error(`No step of the ${chain.noun} is taken by ${word}: name it in the chain.`);
  if (!chain.stuckReason && chain.steps.some(({ stuck }) => stuck))
    throw new Error(`A step of the ${chain.noun} may be stuck: name the Warning in the chain's stuckReason.`);
  const { name: step } = ownStep;
  const ruleName = `${chain.system}/${word}`;
  const name = progressNameOf({ name: ruleName, ...declared });
  const isFirst = own.includes(chain.steps[0] as typeof ownStep);
  const { systems: all, ...common } = chain.rule;
  return rule<Schema, Seen<O, K> & More, Used & Own>({
    name: ruleName,
    ...common,
    ...declared,
    ...(all || systems ? { systems: { ...all, ...systems } as Used & Own } : {}),
    steps: {
      acting: silent,
      waiting: silent,
      called: silent,
      away: silent,
      ...(chain.stuckReason && (isFirst || own.some((one) => one.stuck))
        ? { halting: silent, stuck: warning(chain.stuckReason) }
        : {}),
      ...steps,
    },
    subjects: (hint) => {
      const own = objectsIn(hint, chain.kinds, chain.concerns, name);
      return subjects ? subjects(hint, own) : own;
    },
    look: async (subject, view) => {
      const factsOf = async (one: O): Promise<Facts<K>> => {
        if (isElsewhere?.(one)) return { is: "outside", message: elsewhereOf(one) };
        const looked = await orAway(() => chain.look(one, view));
        return "away" in looked ? { is: "unknown", away: looked.away } : looked.read;
      };
      const failures: LookFailure[] = [];
      const seen = async () => {
        const { facts: found, failures: lost } = await partly(() => chain.find(subject, view));
        const each = await lookAtEach(found, subjectOf, async (one) => ({ ...one, facts: await factsOf(one) }));
        failures.push(...lost, ...each.failures);
        return each.looked;
      };
      return wholeOr(look ? await look(subject, view, seen) : ({ seen: await seen() } as Seen<O, K> & More), failures);
    },
    decide: (facts, now, settings) => [
      ...(beside?.(facts, now) ?? []),
      ...facts.seen.flatMap((one) => decide(one, facts, now, chain.again(settings))),
    ],
  });

  function subjectOf({ object }: O): ObjectSubject {
    const { namespace, name } = object.metadata;
    return { kind: kindIn(chain, object), name, ...(namespace ? { namespace } : {}) };
  }

  function elsewhereOf({ object: { kind, metadata } }: O): string {
    return `The ${chain.noun} of ${kind} ${metadata.name} is not at the step ${word}.`;
  }

  function decide(one: Looked<O, K>, all: Seen<O, K> & More, now: number, again: number): readonly Decision[] {
    const { object, facts } = one;
    const kind = kindIn(chain, object);
    const at = about(kind, object);
    const elsewhere = at.leave(elsewhereOf(one));
    switch (facts.is) {
      case "outside":
        return [at.leave(facts.message)];
      case "halted":
        return isFirst ? unlessJustAway(one, [halted(one, facts, now, again)], now, again) : [elsewhere];
      case "unknown":
        // Of several that cannot ask one says so, or they would wake each other for ever; the first rule always does.
        if (isFirst || !saidByAnother(object)) return [waits(one, facts.away, now, again)];
        return [
          keepsNote(object, now, again)
            ? at.write(unknownOf(one, facts.away), [], { progress: "unchanged" })
            : elsewhere,
        ];
      default: {
        const standing = stepOf(chain.steps, facts, now);
        if (own.some((one) => one.name === standing.step))
          return unlessJustAway(one, act(contextOf(one, facts, standing, now, again), all), now, again);
        return [isJustAway(object, now, again) ? at.write(elsewhereOf(one), [], { progress: "unchanged" }) : elsewhere];
      }
    }
  }

  /**
   * Whether the rule's note stays while a system is away, which does not say that the step is over: where the system
   * answers every other time, the note would be removed and written by turns, and each write triggers further looks.
   * That only a person gets the object further stays for a pause alone: another rule already says what is away.
   */
  function keepsNote(object: O["object"], now: number, again: number): boolean {
    const { step: written, since = "" } = readProgress(object, name) ?? {};
    if (written === undefined || written === "away") return false;
    return ![stuck, halting].includes(written) || Math.abs(now - Date.parse(since)) < again + minute;
  }

  /**
   * Whether the rule has just noted that a system is away. The note stays for a pause, also where the system answers
   * again: one that answers every other time would have it removed and written by turns, without end. The clock of the
   * instance that wrote it may be a minute from this one.
   */
  function isJustAway(object: O["object"], now: number, again: number): boolean {
    const { step: written, since = "" } = readProgress(object, name) ?? {};
    return written === "away" && Math.abs(now - Date.parse(since)) < again + minute;
  }

  /**
   * The decisions, but none about the object itself that only says where it stands while the rule has just noted that a
   * system is away: it would take that note back at once.
   */
  function unlessJustAway(
    { object }: O,
    decisions: readonly Decision[],
    now: number,
    again: number,
  ): readonly Decision[] {
    const isOwn = ({ about }: Decision) => about.metadata.uid === object.metadata.uid;
    const isSaying = (one: Decision) => one.do === "wait" || (one.do === "write" && one.writes.every(isStatus));
    if (!isJustAway(object, now, again) || !decisions.filter(isOwn).every(isSaying)) return decisions;
    return decisions.map((one) =>
      isOwn(one) ? about(one.kind, one.about).write(one.message, [], { progress: "unchanged" }) : one,
    );
  }

  function unknownOf({ object: { kind, metadata } }: O, { system }: Away): string {
    return `${system} is away: whether ${kind} ${metadata.name} is still at the step ${word} is not known.`;
  }

  function shownBy(one: Looked<O, K>, standing: ChainPosition<Name>, now: number): readonly Write[] {
    const wanted = chain.conditions?.(standing, one, now) ?? [];
    return conditionWrites(kindIn(chain, one.object), one.object, wanted, now);
  }

  /** With the advice, where it is stuck for long enough; otherwise as one that may go on by itself. */
  function lasting(
    { advice, ...standing }: ChainPosition<Name>,
    object: O["object"],
    now: number,
  ): ChainPosition<Name> {
    if (!standing.stuck) return standing;
    if (!chain.stuckReason || !hasLasted(object, name, now, chain.patience ?? 0)) return { ...standing, stuck: false };
    return advice ? { ...standing, message: `${standing.message} ${advice}` } : standing;
  }

  /**
   * Whether the object still shows that a system is away: it has just come back, and what it says first may be wrong.
   * The wait for a person begins again.
   */
  function isJustBack(one: Looked<O, K>, now: number): boolean {
    if (!chain.patience) return false;
    const whileAway = chain.conditions?.({ step, message: "", stuck: false, away: "a system" }, one, now) ?? [];
    return whileAway.some(({ type, status, reason }) => {
      const shown = conditionOf(one.object, type);
      return shown?.status === status && shown.reason === reason;
    });
  }

  function halted(
    one: Looked<O, K>,
    { message, advice }: { readonly message: string; readonly advice?: string },
    now: number,
    again: number,
  ): Decision {
    const standing = lasting({ step, message, stuck: true, advice }, one.object, now);
    const next = now + again;
    return about(kindIn(chain, one.object), one.object).write(standing.message, shownBy(one, standing, now), {
      step: { name: standing.stuck ? stuck : chain.stuckReason ? halting : "waiting" },
      next,
    });
  }

  /** What another rule of the chain has written down about a system that is away for it. */
  function saidByAnother(object: KubernetesObject): Progress | undefined {
    return chain.steps
      .filter((other) => !own.includes(other))
      .map((other) => readProgress(object, `${chain.system}/${takerOf(other)}`))
      .find((progress) => progress?.step === "away");
  }

  function waits(one: Looked<O, K>, away: Away, now: number, again: number): Decision {
    const { object } = one;
    const own = readProgress(object, name);
    const before = own?.step === "away" ? own : saidByAnother(object);
    const { message, step: at, next } = waitsFor(away, `The ${chain.noun}`, before, now, again);
    const writes = shownBy(one, { step, message, stuck: false, away: away.system }, now);
    return about(kindIn(chain, object), object).write(message, writes, { step: at, next });
  }

  function contextOf(
    one: Looked<O, K>,
    facts: K,
    derived: ChainPosition<Name>,
    now: number,
    again: number,
  ): StepContext<O, K, Name> {
    const isBack = isJustBack(one, now);
    const standing = lasting(isBack ? { ...derived, stuck: false } : derived, one.object, now);
    const at = about(kindIn(chain, one.object), one.object);
    const next = now + again;
    // What a rule that cannot ask says stays until it can: two that write over each other wake each other for ever.
    const isAway = saidByAnother(one.object) !== undefined;
    const shows = (changes?: Partial<ChainPosition<Name>>) =>
      isAway ? [] : shownBy(one, { ...standing, ...changes }, now);
    return {
      ...one,
      facts,
      standing,
      isAway,
      now,
      about: at,
      next,
      shows,
      act: (message, writes, first = []) =>
        at.write(message, [...first, ...shows({ message }), ...writes], { step: { name: "acting" }, next }),
      wait: (first = []) =>
        at.write(standing.message, [...first, ...shows()], {
          step: { name: standing.stuck ? stuck : derived.stuck && !isBack ? halting : "waiting" },
          next,
        }),
      pause: (message, until, first = []) =>
        at.write(message, [...first, ...shows({ message })], {
          step: { name: "waiting" },
          // What is away is said by another rule, whose words stay until this one looks again.
          ...(until === undefined && !isAway ? {} : { next: until ?? next }),
        }),
      call: (message, command, first = [], more = {}) =>
        at.call(message, { step: { name: "called" }, writes: [...first, ...shows()], command, next, ...more }),
    };
  }
}

/** Whether a rule has left an object to the rule of another step, which says nothing of why it is as it is. */
export const isOfAnotherStep = (message: string): boolean => / is not at the step [a-z-]+\.$/.test(message);

/** The kind of an object of the chain. */
function kindIn(
  chain: Pick<Chain<never, never, never, never, never>, "kinds" | "noun">,
  object: KubernetesObject,
): Kind {
  const kind = kindAmong(chain.kinds, object);
  if (!kind) throw new Error(`A ${object.kind} is no object of an ${chain.noun}.`);
  return kind;
}
