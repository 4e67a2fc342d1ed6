import type { Clock } from "../../../shared/clock.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Change } from "../../harness/simulated/change.ts";
import type { Line } from "../report/history.ts";
import { describeOperation, keepsControllersBusy, type Operation } from "../sequence/operation.ts";
import { type Field, keeps, keepsAsMuch, translate, type Wishes } from "../sequence/policy.ts";
import { garbage, unsettled } from "./settled.ts";
import type { Live, SetObject, Side } from "./side.ts";
import { createUser } from "./user.ts";

/** Where a sequence is played: two namespaces of one cluster. */
export interface World {
  readonly clock: Clock;
  readonly admin: Client;
  /** Plain Kubernetes: policies are written into the fields of sets. */
  readonly plain: Side;
  /** Holdfast: policies are annotations. */
  readonly ours: Side;
  /**
   * Whether an annotation that keeps is in force with the very write that sets it: the admission policy is installed.
   */
  readonly inTheVeryWrite: boolean;
  /** Whether users write the field in `ours`, too: there is no function that would do it for them. */
  readonly byHand: boolean;
  /** Every change of a volume so far, oldest first. */
  readonly volumes: readonly Change[];
  /**
   * Volumes that a claim of ours has had for so long (milliseconds) are not to be lost; absent where no function keeps
   * them.
   */
  readonly keptAfter: number | undefined;
  /** Milliseconds. */
  readonly patience: Patience;
  /** Lets the sweep come round, where it does not come by itself. */
  sweep(): Promise<void>;
  /** No fault strikes any more, and everybody has the time to come to an end. */
  calm(): Promise<void>;
  /** What people read of a run besides the changes on both sides. */
  readonly history: readonly Line[];
  note(line: string): void;
}

export interface Patience {
  /** For Kubernetes' own controllers. */
  readonly settling: number;
  /** For a policy to be in force, with functions that fail. */
  readonly inForce: number;
  /**
   * From the moment in which a policy that keeps is in force to what relies on it: longer than one write of a function
   * can be under way. KEP-1847 leaves that race open: claims "were originally declared to have been deleted".
   */
  readonly underWay: number;
  /** By which caches of Kubernetes' own controllers may be late. */
  readonly caches: number;
  /** For everybody, at a `rest`. */
  readonly rest: number;
  readonly poll: number;
}

/** What a judge needs to know of a run besides what was observed. */
export interface Played {
  /**
   * Claims that users made by hand, as uids: those of plain Kubernetes, and what the same operation made or met in
   * ours.
   */
  readonly twins: ReadonlyMap<string, string | undefined>;
  /** Times at which Kubernetes' own controllers had nothing to do in either namespace. */
  readonly settledAt: readonly number[];
  /** Uids of sets of ours that were deleted with a cascade under a policy that deletes then. */
  readonly taking: ReadonlySet<string>;
  /** Something that never came about. */
  readonly stuck: string | undefined;
}

/**
 * Plays a sequence on both sides at once. `hasty`: for once the user does not wait for what he has said to be in force.
 */
export async function play(world: World, sequence: readonly Operation[], hasty = false): Promise<Played> {
  const { clock, admin, plain, ours, patience, note, byHand } = world;
  const plainUser = createUser(admin, plain.namespace, false);
  const ourUser = createUser(admin, ours.namespace, true);
  const twins = new Map<string, string | undefined>();
  const settledAt: number[] = [];
  const taking = new Set<string>();
  const wishes = new Map<string, Wishes>();
  let byDefault: string | undefined;
  let busyWith: Operation | undefined;
  /** What was said last that makes claims safer than they were, and is not known to be in force. */
  let promised: Operation["do"] | undefined;
  let stuck: string | undefined;

  const wanted = (set: string): Field => translate(byDefault, wishes.get(set) ?? {});

  async function until(
    check: (plain: Live, ours: Live) => string | undefined,
    within: number,
  ): Promise<string | undefined> {
    const end = clock.now() + within;
    for (let pause = patience.poll; ; pause = Math.min(2 * pause, 20 * patience.poll)) {
      const left = check(await plain.live(), await ours.live());
      if (left === undefined || clock.now() >= end) return left;
      await clock.sleep(pause);
    }
  }

  async function settle(): Promise<void> {
    const left = await until((one, other) => unsettled(one) ?? unsettled(other), patience.settling);
    if (left) note(`goes on although ${left}`);
    else settledAt.push(clock.now());
  }

  /**
   * Lets caches of Kubernetes' own controllers catch up with references that were written a moment ago: its garbage
   * collector orphans only what it has seen, and deletes the rest as garbage.
   */
  async function settleReferences(): Promise<void> {
    const changed = (changes: readonly Change[]) =>
      changes.findLast(({ before, after }) => ownersIn(before) !== ownersIn(after))?.at ?? 0;
    const recent = () =>
      clock.now() - Math.max(changed(plain.changes), changed(ours.changes)) < patience.caches ? "recent" : undefined;
    await settle();
    await until(recent, patience.settling);
  }

  /** What our users wait for, as documents say: the field says it, and no claim is tied to a set that is to keep it. */
  async function inForce(): Promise<void> {
    // What becomes of the claims of a set is decided when it is deleted: no function changes it any more.
    const notSaid = (_: Live, { sets }: Live) =>
      sets
        .filter(
          ({ metadata, spec }) =>
            !metadata.deletionTimestamp &&
            !keepsAsMuch(spec.persistentVolumeClaimRetentionPolicy ?? keeps, wanted(metadata.name)),
        )
        .map(({ metadata, spec }) => {
          const { whenDeleted, whenScaled } = spec.persistentVolumeClaimRetentionPolicy ?? keeps;
          return `the field of ${metadata.name} says ${whenDeleted}/${whenScaled}`;
        })[0];
    const stillTied = (one: Live, other: Live) => {
      const free = new Set(one.claims.filter((claim) => !tiedTo(claim, one.sets)).map(({ metadata }) => metadata.name));
      const kept = other.sets.filter(({ metadata }) => wanted(metadata.name).whenDeleted === "Retain");
      const tied = other.claims.find((claim) => tiedTo(claim, kept) && free.has(claim.metadata.name));
      return tied && `claim ${tied.metadata.name} is tied to its set`;
    };
    const begun = clock.now();
    const left = await until(notSaid, patience.inForce);
    if (left) stuck ??= `A policy that keeps does not come into force: ${left} after ${clock.now() - begun} ms.`;
    const tied = await until(stillTied, byHand ? patience.settling : patience.inForce);
    if (tied) note(`goes on although ${tied}`);
    await clock.sleep(patience.underWay);
    await settle();
    promised = undefined;
    busyWith = undefined;
  }

  /** Waits as a user who knows what he relies on. */
  async function prepare(op: Operation): Promise<void> {
    if (op.do === "pass") return;
    // Made again at once, a set finds the pods of the one before it.
    const again = op.do === "create" && busyWith?.do === "delete" && busyWith.set === op.set;
    if (again) await until((one, other) => inTheWay(one, op.set) ?? inTheWay(other, op.set), patience.inForce);
    else if (busyWith) {
      await settle();
      busyWith = undefined;
    }
    if (op.do === "delete") await settleReferences();
    const atOnce = promised === "annotate" && world.inTheVeryWrite && op.do !== "delete";
    if (promised && !atOnce && !hasty) await inForce();
  }

  /** Takes down what users wish from now on; before the operation, because others act upon it while it is under way. */
  function wish(op: Operation): void {
    const said = "set" in op ? wishes.get(op.set) : {};
    if (op.do === "create") wishes.set(op.set, { annotation: op.annotation, explicit: op.explicit });
    else if (op.do === "annotate") wishes.set(op.set, { ...said, annotation: op.policy ?? undefined });
    else if (op.do === "apply") wishes.set(op.set, { ...said, explicit: op.field });
    else if (op.do === "default") byDefault = op.policy ?? undefined;
  }

  /**
   * Without the admission policy a set is what is written until project has looked at it, and pods that it adopts may
   * be condemned by then: who wants more kept than the field says does not create it so.
   */
  function sensible(op: Operation): Operation {
    if (op.do !== "create" || !op.explicit || world.inTheVeryWrite) return op;
    const field = translate(byDefault, op);
    return keepsAsMuch(op.explicit, field) ? op : { ...op, explicit: field };
  }

  for (const [index, drawn] of sequence.entries()) {
    const op = sensible(drawn);
    await prepare(op);
    const present = (await ours.live()).sets;
    const there = new Set(present.map(({ metadata }) => metadata.name));
    if ("set" in op && (op.do === "create") === there.has(op.set)) continue;
    const before = new Map([...there].map((set) => [set, wanted(set)]));
    wish(op);
    note(`${index + 1}. the user ${describeOperation(op)}`);
    if (op.do === "rest" || op.do === "pass") {
      await clock.sleep(op.do === "pass" ? op.ms : patience.rest);
      if (op.do === "rest") {
        await world.sweep();
        await settle();
      }
      continue;
    }
    if (op.do === "delete" && op.cascade !== "Orphan" && wanted(op.set).whenDeleted === "Delete")
      for (const { metadata } of present) if (metadata.name === op.set) taking.add(metadata.uid);
    const met = op.do === "claim" && (await ours.live()).claims.find(({ metadata }) => metadata.name === op.name);
    const field = op.do === "create" ? wanted(op.set) : undefined;
    const [there1, here] = await Promise.all([plainUser.perform(op, field), ourUser.perform(op, field)]);
    if (there1.refused) note(`   refused beside plain Kubernetes: ${there1.refused}`);
    if (here.refused) note(`   refused in ours: ${here.refused}`);
    if (op.do === "claim" && there1.object) {
      const twin = here.object ?? (met && !met.metadata.deletionTimestamp ? met : undefined);
      twins.set(there1.object.metadata.uid, twin?.metadata.uid);
    }
    await writeFields(before, op);
    if (keepsControllersBusy(op)) busyWith = op;
    if (isPromise(op, before)) promised = op.do;
  }
  await prepare({ do: "rest" });
  await world.calm();
  await settle();
  return { twins, settledAt, taking, stuck };

  async function writeFields(before: ReadonlyMap<string, Field>, op: Operation): Promise<void> {
    const changed = [...before].filter(([set, was]) => !isSame(was, wanted(set))).map(([set]) => set);
    // What others have just written into the field is not what the user wants.
    const overwritten = byHand && (op.do === "apply" || op.do === "create") ? [op.set] : [];
    await Promise.all([
      ...changed.map((set) => plainUser.write(set, wanted(set))),
      ...(byHand ? [...new Set([...changed, ...overwritten])].map((set) => ourUser.write(set, wanted(set))) : []),
    ]);
  }

  /** Whether claims are to be safer from now on than they were, or than what another manager has just written. */
  function isPromise(op: Operation, before: ReadonlyMap<string, Field>): boolean {
    const written = op.do === "apply" ? op.field : op.do === "create" ? op.explicit : undefined;
    if (written && "set" in op && !keepsAsMuch(written, wanted(op.set))) return true;
    return [...before].some(([set, was]) => !keepsAsMuch(was, wanted(set)));
  }
}

const ownersIn = (object: KubernetesObject | undefined) => JSON.stringify(object?.metadata.ownerReferences ?? []);

const isSame = (one: Field, other: Field) => keepsAsMuch(one, other) && keepsAsMuch(other, one);

const tiedTo = ({ metadata }: KubernetesObject, sets: readonly SetObject[]): boolean =>
  (metadata.ownerReferences ?? []).some(({ uid }) => sets.some((set) => set.metadata.uid === uid));

/** What keeps a set from being made again under its name: the one before it, or claims that go with that. */
function inTheWay(live: Live, set: string): string | undefined {
  const old = live.sets.find(({ metadata }) => metadata.name === set && metadata.deletionTimestamp);
  return old ? `set ${set} is being deleted` : garbage(live, live.claims);
}
