import { isDeepStrictEqual } from "node:util";
import type { Decision, Step } from "../../shared/decision.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { Event } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { plan } from "../../shared/pipeline/plan.ts";
import { type Progress, readProgress } from "../../shared/progress.ts";
import { progressNameOf, type Rule } from "../../shared/rule.ts";
import { refusalReasons } from "../../shared/steps.ts";
import { elsewhere } from "../cluster/cluster-options.ts";
import { readOrNote } from "../cluster/read-or-note.ts";

/** What an object says of itself in a rule's annotation. */
interface Written {
  readonly step: string;
  /** RFC 3339. */
  readonly since: string;
  readonly because: string;
  /** RFC 3339: when the rule looks again. */
  readonly next?: string;
}

/** What one rule has to say. */
export interface Word {
  readonly rule: string;
  /** `PersistentVolumeClaim shop/data`: the object that it is about. */
  readonly about: string;
  /** What a look says now, as a sentence; absent where it says nothing, or could not be had. */
  readonly message?: string;
  /** The decision of that look: wait, write, call, stop, record. A write of what is there already is a wait. */
  readonly decision?: Decision["do"];
  /** The finalizers that the decision removes. */
  readonly removes?: readonly string[];
  /** What is written down on the object. */
  readonly written?: Written;
  /** Which external system it waits for, as it is written down. */
  readonly away?: Written;
  /** How what is written down differs from what a look says. */
  readonly difference?: string;
  /** What the API server, a policy or a webhook refuses of what the rule still has to write, and since when. */
  readonly refused?: string;
  /** Why no look could be had. */
  readonly unknown?: string;
  /** A person must act. */
  readonly isStuck: boolean;
}

const asWritten = (progress: Progress | undefined): Written | undefined =>
  progress && {
    step: progress.step,
    since: progress.since,
    because: progress.because,
    ...(progress.next ? { next: progress.next } : {}),
  };

/** What is written down about an object by a rule, with nothing of a fresh look; nothing where there is nothing. */
export function wordWritten(rule: Rule, object: KubernetesObject, unknown?: string): Word | undefined {
  const written = asWritten(readProgress(object, progressNameOf(rule)));
  const away = asWritten(readProgress(object, `${rule.name}/away`));
  if (!written && !away && unknown === undefined) return undefined;
  return {
    rule: rule.name,
    about: describe(referenceTo(object)),
    ...(written ? { written } : {}),
    ...(away ? { away } : {}),
    ...(unknown === undefined ? {} : { unknown }),
    isStuck: written !== undefined && rule.steps?.[written.step]?.type === "Warning",
  };
}

/** What is written down where a look says nothing: a note that only says how things stand is no less true for that. */
export function waitsForNothing(word: Word, { progress, steps }: Rule): Word {
  const { written, away } = word;
  const waits = away || written?.next || (written && steps?.[written.step]);
  if (!waits || progress === "load-bearing") return word;
  return { ...word, difference: "A look says now that it waits for nothing." };
}

/**
 * What a decision says beside what is written down; nothing where neither says anything. Where several rules share what
 * they write, one that has nothing to do does not speak for the others.
 */
export function wordOf(rule: Rule, decision: Decision, now: number, installNamespace?: string): Word | undefined {
  const { about, message } = decision;
  const progress = readProgress(about, progressNameOf(rule));
  const before = wordWritten(rule, about);
  const step = "step" in decision ? decision.step : undefined;
  const planned = decision.do === "write" ? plan(rule, decision, now) : undefined;
  const isDone = !step && planned?.result === "leave";
  const isSilent = isDone || decision.do === "leave";
  if (isSilent && (!before || rule.progressName)) return undefined;
  if (before && decision.do === "leave") return waitsForNothing(before, rule);
  if (before && isDone && decision.do === "write" && decision.progress === "unchanged") return before;
  const removes = removedBy(decision);
  const difference = step && progress && differs(progress, step, message) ? differenceIn(installNamespace) : undefined;
  const isWarned = step !== undefined && rule.steps?.[step.name]?.type === "Warning";
  return {
    rule: rule.name,
    ...before,
    about: describe(referenceTo(about)),
    message,
    decision: planned?.operations.every((operation) => operation.do !== "write") ? "wait" : decision.do,
    ...(removes.length > 0 ? { removes } : {}),
    ...(difference ? { difference } : {}),
    isStuck: decision.do === "stop" || isWarned,
  };
}

/** Another wording alone is no difference, nor is another time of the next look. */
function differs(progress: Progress, step: Step, message: string): boolean {
  const { v: _, uid: __, step: before, since: ___, next: ____, attempt: _____, because, ...details } = progress;
  // Written down is what JSON has: nothing for a key without a value.
  const now = JSON.parse(JSON.stringify({ ...step.details }));
  return before !== step.name || (because !== message && !isDeepStrictEqual(details, now));
}

const differenceIn = (installNamespace?: string) =>
  "This differs from what is written down. If that stays so for more than one sweep, run: " +
  `holdfast status${elsewhere(installNamespace)}`;

/**
 * The words about an object, each with what was refused of the change that it is still to make. One that has gone
 * through meanwhile needs no change any more, so that its Event, which stays for an hour, counts no longer.
 */
export async function withRefusals(
  words: readonly Word[],
  object: KubernetesObject,
  client: Pick<Client, "list">,
  gaps: string[],
): Promise<Word[]> {
  const title = describe(referenceTo(object));
  const isDue = ({ about, decision }: Word) => about === title && (decision === "write" || decision === "call");
  if (!words.some(isDue)) return [...words];
  const { namespace = "default", name, uid } = object.metadata;
  const list = () => client.list<RecordedEvent>(Event, { namespace, fieldSelector: `regarding.name=${name}` });
  const events = (await readOrNote(gaps, "Events", () => Array.fromAsync(list()))) ?? [];
  return words.map((word) => {
    const refusal = events.find(
      ({ reason, regarding, reportingInstance }) =>
        refusalReasons.includes(reason) && regarding.uid === uid && reportingInstance === word.rule,
    );
    return refusal && isDue(word) ? { ...word, refused: refusal.note, isStuck: true } : word;
  });
}

interface RecordedEvent extends KubernetesObject {
  readonly reason: string;
  readonly note: string;
  readonly reportingInstance: string;
  readonly regarding: { readonly uid?: string };
}

/** The finalizers of the object that a decision's patches take off. */
function removedBy(decision: Decision): readonly string[] {
  if (decision.do !== "write") return [];
  const { finalizers = [] } = decision.about.metadata;
  return decision.writes.flatMap((write) => {
    if (write.verb !== "patch" || write.type !== "json") return [];
    const operations = write.patch as readonly { op: string; path: string }[];
    return operations.flatMap(({ op, path }) => {
      const [, index] = /^\/metadata\/finalizers\/(\d+)$/.exec(path) ?? [];
      return op === "remove" && index ? (finalizers[Number(index)] ?? []) : [];
    });
  });
}
