import type { Client } from "../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../shared/kubernetes/finalizer.ts";
import type { Rule } from "../../shared/rule.ts";
import { type Held, removable } from "../../shared/uninstall/held-objects.ts";
import { describeHeld, describeLeftBehind, describeStanding } from "../../shared/uninstall/what-is-left.ts";
import type { Installed, Phase } from "./installed.ts";

const titles: Readonly<Record<Phase, string>> = {
  stamps: "Policies that put finalizers on objects",
  events: "Sources, brokers and Triggers",
  functions: "Functions",
  rights: "Their roles, without which nothing of Holdfast can write",
  rest: "Settings and accounts",
  namespaces: "The namespace, where nothing of others is in it",
};

/** `Broker storage, workloads; Trigger a, b`. */
export function listed(objects: readonly Installed[]): string {
  const byKind = Map.groupBy(objects, ({ kind }) => kind.kind);
  return [...byKind]
    .map(([kind, ofIt]) => `${kind} ${ofIt.map(({ object }) => object.metadata.name).join(", ")}`)
    .join("; ");
}

/** What an uninstall is going to do, a line for each phase that has anything to do, in their order. */
export async function describePlan(
  client: Client,
  installed: Readonly<Record<Phase, readonly Installed[]>>,
  rules: readonly Rule[],
  held: readonly Held[],
): Promise<readonly string[]> {
  const phase = (name: Phase) => (installed[name].length > 0 ? [`${titles[name]}: ${listed(installed[name])}.`] : []);
  const undone = rules.map(({ leavesBehind = [] }) => ({ leavesBehind: leavesBehind.filter(({ undo }) => undo) }));
  return [
    ...(["stamps", "events", "functions", "rights"] as const).flatMap(phase),
    ...(await describeLeftBehind(client, undone)).map((sentence) => `Undone: ${sentence}`),
    ...describeHeld(removable(held)).map((sentence) => `Finalizers: ${sentence}`),
    ...(["rest", "namespaces"] as const).flatMap(phase),
  ];
}

/** What stays when all is done, in whole sentences: people must know of it. */
export async function describeRest(
  client: Client,
  rules: readonly Rule[],
  held: readonly Held[],
): Promise<readonly string[]> {
  const kept = rules.map(({ leavesBehind = [] }) => ({ leavesBehind: leavesBehind.filter(({ undo }) => !undo) }));
  return [
    // All of them: when the functions are gone nothing else says which they are.
    ...(await describeLeftBehind(client, kept, Number.POSITIVE_INFINITY)),
    ...describeStanding(held),
  ];
}

/** What to do about them. */
export const untilOver =
  "Wait until that is over, or call it off. A compute host counts until its spec.state is Enabled and it serves.";

/** Those with which the functions are in the middle of something that nothing else can complete. */
export const unfinished = (held: readonly Held[]) =>
  held.filter(({ hold, object }) => hold.standsFor && (isBeingDeleted(object) || hold.isUnderWay?.(object)));
