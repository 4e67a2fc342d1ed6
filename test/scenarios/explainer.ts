import { expect, test } from "vitest";
import { type Explanation, explain } from "../../cli/explain/explain.ts";
import { printExplanation } from "../../cli/explain/print.ts";
import type { AskedRule } from "../../cli/rules/judge.ts";
import { preDrainHook, preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import { isOfAnotherStep } from "../../shared/chain/chain-rule.ts";
import type { Clock } from "../../shared/clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { type Kind, Namespace, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { isDryRun } from "../../shared/kubernetes/read-only.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { type Progress, readProgress, waitingLabel } from "../../shared/progress.ts";
import { progressNameOf, type Rule } from "../../shared/rule.ts";
import type { Connect } from "../../shared/system/connect.ts";
import { recordRequests } from "../harness/account-request.ts";
import { grant } from "../manifests/grants.ts";
import { allRules } from "./installed-rules.ts";

/** Where explanations are asked for: a cluster, the functions on it, and how its time passes. */
interface Place {
  /** The API as an administrator; what is asked through it is held against what the functions may read. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly installed: readonly AskedRule[];
  /** External systems as the functions reach them; absent where none of them has any. */
  readonly systems?: Connect | undefined;
  /** Lets time pass until the promise settles. */
  passes<T>(promise: Promise<T>): Promise<T>;
}

/** What was explained, and how. */
export interface Explained {
  readonly object: KubernetesObject;
  readonly explanation: Explanation;
  /** Names of which the explanation has to contain one; none where the object waits for no other. */
  readonly waitsFor: readonly string[];
}

const joined = (text: string) => text.replaceAll(/\s+/g, " ");

/** An explanation as it is printed, in 80 columns. */
function printed(explanation: Explanation, now: number): string {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  printExplanation(explanation, now, { width: 80, paint: (_, text) => text, print });
  return lines.join("\n");
}

/** The rules that write under each annotation, which some of them share. */
const writers = Map.groupBy(
  allRules.flatMap((rule): (readonly [key: string, rule: Rule])[] => [
    [progressNameOf(rule), rule],
    [`${rule.name}/away`, rule],
  ]),
  ([name]) => name,
);

/** What is written down on an object, with the rules that may have written it. */
function writtenOn(object: KubernetesObject): readonly (Progress & { readonly by: readonly string[] })[] {
  return [...writers].flatMap(([name, sharing]) => {
    const progress = readProgress(object, name);
    return progress ? [{ ...progress, by: sharing.map(([, rule]) => rule.name) }] : [];
  });
}

const waits = (object: KubernetesObject) =>
  writtenOn(object).length > 0 ||
  object.metadata.labels?.[waitingLabel] === "true" ||
  (object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length > 0);

/**
 * What an explanation lacks: a finalizer of the object, a cause that is written down on it unless a look says another,
 * the name of what it waits for, or why a finalizer of Holdfast is still there.
 */
function lackingIn(explanation: Explanation, now: number, { object, waitsFor }: Omit<Explained, "explanation">) {
  const text = joined(printed(explanation, now));
  const says = (sentence: string) => text.includes(joined(sentence));
  const isNewer = (by: readonly string[]) =>
    explanation.words.some(({ rule, difference, message }) => by.includes(rule) && difference && says(message ?? rule));
  const causes = writtenOn(object).filter(({ because, by }) => !says(because) && !isNewer(by));
  const hooks = [preDrainHook, preTerminateHook].filter((hook) => hook in (object.metadata.annotations ?? {}));
  const finalizers = [...(object.metadata.finalizers ?? []), ...hooks].filter((finalizer) => !text.includes(finalizer));
  const isNamed = waitsFor.length === 0 || waitsFor.some((name) => text.includes(name));
  const isDoc = (until: string) => allRules.some(({ doc }) => until.startsWith(doc)) || isOfAnotherStep(until);
  const general = explanation.deletedSince ? explanation.holds.filter(({ until }) => isDoc(until)) : [];
  return [
    ...(text.includes(describe(referenceTo(object))) ? [] : ["its name"]),
    ...causes.map(({ because }) => `its cause: ${because}`),
    ...finalizers.map((finalizer) => `its finalizer ${finalizer}`),
    ...(isNamed ? [] : [`what it waits for: ${waitsFor.join(", ")}`]),
    ...general.map(({ finalizer }) => `why ${finalizer} is still there`),
  ];
}

/** Explains what waits on a cluster, when it is asked to, and fails where an explanation lacks something. */
export function explainer(place: Place, seen: Explained[]): { explainAll(): Promise<void> } {
  const { clock, installed } = place;
  const known = new Set<string>();
  const admin = createClient(place.transport, { clock });
  const permissions = installed.flatMap(({ rule }) => rule.permissions);
  const readable = new Set(permissions.flatMap(({ resource }) => ["get", "list"].map((verb) => grant(resource, verb))));
  const unexpected: string[] = [];
  const reads = recordRequests("reader", place.transport, ({ grant }) => {
    if (!readable.has(grant) && !readable.has(grant.replace(/[^/]+$/, "*"))) unexpected.push(grant);
  });
  const reader = createClient(
    (request) => {
      if (request.method === "GET") return reads(request);
      if (!isDryRun(request.path)) unexpected.push(`${request.method} ${request.path}`);
      return place.transport(request);
    },
    { clock },
  );
  const none: Connect = () => {
    throw new Error("No rule here has an external system.");
  };
  const written = permissions.filter(({ verbs, subresource }) => verbs.includes("patch") && !subresource);
  const kinds = new Map([...written.map(({ resource }) => resource), Namespace].map((kind) => [kind.plural, kind]));

  async function waitsFor(kind: Kind, { metadata }: KubernetesObject): Promise<readonly string[]> {
    const ours = (metadata.finalizers ?? []).every((finalizer) => finalizer.startsWith("holdfast.dev/"));
    if (kind.kind !== PersistentVolumeClaim.kind || !metadata.deletionTimestamp || !ours) return [];
    type Using = KubernetesObject & {
      spec: { volumes?: { persistentVolumeClaim?: { claimName: string } }[] };
    };
    const pods = await Array.fromAsync(admin.list<Using>(Pod, { namespace: metadata.namespace ?? "" }));
    return pods
      .filter(({ spec }) => spec.volumes?.some((one) => one.persistentVolumeClaim?.claimName === metadata.name))
      .map((pod) => pod.metadata.name);
  }

  async function explainOne(kind: Kind, object: KubernetesObject): Promise<void> {
    const isNamespace = kind.kind === Namespace.kind;
    const rules = { installed, all: allRules };
    const asking = { client: isNamespace ? admin : reader, clock, connect: () => place.systems ?? none };
    const explanation = await place.passes(explain(kind, object, rules, asking));
    const names = await waitsFor(kind, object);
    // While time passed in which external systems answered, functions may have gone on.
    const { namespace, name, resourceVersion } = object.metadata;
    if ((await admin.get(kind, namespace, name))?.metadata.resourceVersion !== resourceVersion) return;
    const one = { object, explanation, waitsFor: names };
    // An external system may be away in a scenario; a right may not lack in any.
    const isAway = (gap: string) =>
      place.systems !== undefined && gap.includes(" could not look: ") && !/ (forbidden|cannot) /.test(gap);
    expect(explanation.gaps.filter((gap) => !isAway(gap))).toEqual([]);
    expect(unexpected).toEqual([]);
    expect(lackingIn(explanation, clock.now(), one), printed(explanation, clock.now())).toEqual([]);
    seen.push(one);
  }

  return {
    async explainAll() {
      for (const kind of kinds.values()) {
        const objects = await Array.fromAsync(admin.list<KubernetesObject>(kind)).catch(() => []);
        for (const listed of objects) {
          const { uid, deletionTimestamp, finalizers } = listed.metadata;
          const key = JSON.stringify([uid, deletionTimestamp, finalizers, writtenOn(listed)]);
          if (!waits(listed) || known.has(key)) continue;
          known.add(key);
          await explainOne(kind, { ...listed, apiVersion: kind.apiVersion, kind: kind.kind });
        }
      }
    },
  };
}

/** Proves, after the scenarios, that what they have shown of explanations is worth something. */
export function proveExplanations(seen: readonly Explained[]): void {
  test("every line of an explanation fits into 80 columns, unless it is one word", () => {
    for (const { explanation } of seen)
      for (const line of printed(explanation, 0).split("\n"))
        expect(line.length <= 80 || !line.trim().includes(" "), line).toBe(true);
  });

  test("an explanation that is always the same is found to name the wrong cause", () => {
    const causesOf = ({ object }: Explained) => writtenOn(object).map(({ because }) => because);
    const [first] = seen;
    const words = first?.explanation.words.map(({ difference: _, ...word }) => word) ?? [];
    // All but the cause is right, so that nothing else gives the mutant away.
    const sameFor = ({ explanation: { content: _, ...rest } }: Explained): Explanation => ({
      ...rest,
      words,
      holds: rest.holds.map((hold) => ({ ...hold, until: "It waits." })),
    });
    const known = first ? causesOf(first) : [];
    const others = seen.filter((one) => causesOf(one).some((cause) => !known.includes(cause)));
    expect(others.length).toBeGreaterThan(3);
    for (const one of others)
      expect(lackingIn(sameFor(one), 0, one)).toContainEqual(expect.stringMatching(/^its cause: /));
  });
}
