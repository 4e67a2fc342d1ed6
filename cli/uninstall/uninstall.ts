import type { Clock } from "../../shared/clock.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { Namespace, Pod } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import type { Rule } from "../../shared/rule.ts";
import { heldObjects, holdsOf, letGo, removable } from "../../shared/uninstall/held-objects.ts";
import { someOf } from "../../shared/uninstall/some-of.ts";
import { refusedBy, undoLeftBehind } from "../../shared/uninstall/undo-left-behind.ts";
import { describeHeld } from "../../shared/uninstall/what-is-left.ts";
import { withChosenFinalizers } from "./chosen-finalizers.ts";
import { claimsInUse } from "./claims-in-use.ts";
import { describePlan, describeRest, listed, unfinished, untilOver } from "./describe.ts";
import { findInstalled, type Installed, ours } from "./installed.ts";
import { lackingToUninstall } from "./rights.ts";
import { strangersIn } from "./strangers.ts";

/** What an uninstall works with. */
export interface UninstallTools {
  readonly client: Client;
  readonly clock: Clock;
  readonly say: (sentence: string) => void;
  /** Asked once, when all has been said. */
  readonly mayGoOn: () => Promise<boolean>;
}

export interface UninstallScope {
  /** Empty: all of Holdfast. */
  readonly systems: readonly string[];
  /** The rules of these systems, whether they are installed or not: what they have left may still be there. */
  readonly rules: readonly Rule[];
  /** The definitions that these systems bring. */
  readonly definitions: readonly string[];
  readonly dryRun: boolean;
  readonly leaveUnfinished: boolean;
  /** Finalizers that functions which are gone were set to. */
  readonly finalizers?: readonly string[];
}

/** Milliseconds for which pods of functions are waited for: Knative drains an instance for half a minute. */
const drain = 60_000;
/** Milliseconds for which a namespace that was deleted is waited for. */
const leaving = 120_000;
/** Milliseconds between two Triggers of a broker that stays: of many at once its channel keeps subscribers. */
const apart = 3_000;

/**
 * Takes Holdfast, or some of its systems, off a cluster. First goes what writes, then the right to write; only then is
 * taken back what could delete data without the functions, and finalizers leave, which nothing can put on again. What
 * keeps data stays, and is named. Run again it goes on where it has ended.
 *
 * @throws ApiError
 * @throws UserError where only the functions can complete what they have begun, a right is lacking, or something has
 *   come back.
 */
export async function uninstall(tools: UninstallTools, scope: UninstallScope): Promise<void> {
  const { client, say } = tools;
  const { systems, dryRun } = scope;
  const installed = await findInstalled(client, systems);
  const rules = await withChosenFinalizers(client, scope.rules, installed, scope.finalizers ?? []);
  const holds = holdsOf(rules);
  const held = await heldObjects(client, holds);

  const waiting = unfinished(held);
  const kinds = [...new Set(waiting.map(({ hold }) => hold.kind.plural))].join(", ");
  const because =
    `These ${kinds} are being deleted, evacuated or evicted, and only the functions can complete that: ` +
    `${someOf(waiting.map(({ object }) => object))}. ${untilOver} Or give --leave-unfinished: ` +
    "then all of them stay as they are.";
  if (waiting.length > 0 && !scope.leaveUnfinished && !dryRun) throw new UserError(because);

  const plan = await describePlan(client, installed, rules, held);
  say(plan.length > 0 ? "These go, in this order:" : "Nothing of Holdfast is left to remove.");
  for (const [index, line] of plan.entries()) say(`${index + 1}. ${line}`);
  const rest = await describeRest(client, rules, held);
  for (const sentence of [...rest, ...(await describeDefinitions(client, scope.definitions))]) say(sentence);
  if (waiting.length > 0) say(because);
  if (plan.length === 0) return;
  // Half an uninstall leaves objects without the functions that would let them go.
  const lacking = await lackingToUninstall(client, installed, rules, held);
  const forbidden = lacking && `${lacking.what} ${lacking.todo}`;
  if (forbidden && dryRun) say(forbidden);
  if (dryRun) return;
  if (forbidden) throw new UserError(`${forbidden} Nothing was changed.`);
  if (!(await tools.mayGoOn())) throw new UserError("Nothing was changed.");

  const stay = systems.length > 0;
  await remove(tools, installed.stamps);
  await remove(tools, installed.events, stay ? apart : 0);
  await remove(tools, installed.functions);
  await functionsEnd(tools, installed.functions);
  await remove(tools, installed.rights);
  const { sentences, refusals, refused } = await undoLeftBehind(client, rules);
  for (const sentence of sentences) say(sentence);

  const safe = holdsOf(rules.filter((rule) => !refused.includes(rule)));
  const found = removable(await heldObjects(client, safe));
  const used = await claimsInUse(client, found);
  const free = found.filter((one) => !used.includes(one));
  await letGo(client, free).catch((error) => {
    if (refusals.length === 0 || !(error instanceof UserError)) throw error;
    throw new UserError(`${error.message} ${refusedBy(refusals).message}`);
  });
  if (refusals.length > 0) throw refusedBy(refusals);
  await remove(tools, installed.rest);
  for (const { object } of installed.namespaces) await removeNamespace(tools, object);

  if (used.length > 0)
    throw new UserError(
      `Pods use claims that are being deleted and that only our finalizer keeps: ` +
        `${someOf(used.map(({ object }) => object))}. Delete the pods, then run this again` +
        `${[...new Set(used.map(({ hold }) => ` --finalizer ${hold.finalizer}`))].join("")}.`,
    );
  const back = removable(await heldObjects(client, holds));
  if (back.length > 0)
    throw new UserError(
      `${describeHeld(back).join(" ")} Something adds it again: look for another Holdfast, or for a ` +
        "GitOps tool that applies this one. Remove it there, then run this again.",
    );
  say(
    stay
      ? `Removed from this cluster: ${systems.join(", ")}. Take that out of your overlay or values, too, or the ` +
          "next apply brings it back. Without Knative, apply them at once: until then, its events are dead-lettered."
      : "Holdfast is removed from this cluster.",
  );
}

/** Deletes objects, one after the other; Triggers so many milliseconds apart. */
async function remove({ client, clock, say }: UninstallTools, objects: readonly Installed[], pause = 0) {
  for (const { kind, object } of objects) {
    const { namespace, name, uid } = object.metadata;
    await client.delete(kind, namespace, name, { uid, propagationPolicy: "Background" });
    if (pause > 0 && kind.kind === "Trigger") await clock.sleep(pause);
  }
  if (objects.length > 0) say(`Deleted: ${listed(objects)}.`);
}

/** Waits a while until the pods of functions are gone. Then their rights go, and they can write no more. */
async function functionsEnd({ client, clock, say }: UninstallTools, functions: readonly Installed[]): Promise<void> {
  const names = new Set(functions.map(({ object }) => object.metadata.labels?.["app.kubernetes.io/name"]));
  const end = clock.now() + drain;
  for (; ; await clock.sleep(500)) {
    const pods = await Array.fromAsync(client.list<KubernetesObject>(Pod, { labelSelector: ours, metadataOnly: true }));
    const left = pods.filter(({ metadata }) => names.has(metadata.labels?.["app.kubernetes.io/name"]));
    if (left.length === 0) return;
    if (clock.now() >= end) return say(`These pods still end, and may write nothing more: ${someOf(left)}.`);
  }
}

/** Deletes a namespace of ours, unless there is anything in it that is not. */
async function removeNamespace({ client, clock, say }: UninstallTools, { metadata }: KubernetesObject): Promise<void> {
  const { name, uid } = metadata;
  const strangers = await strangersIn(client, name);
  if (strangers.length > 0)
    return say(
      `Namespace ${name} stays, because there is more in it: ${strangers.join(", ")}. ` +
        `When you need none of it any more: kubectl delete namespace ${name}`,
    );
  await client.delete(Namespace, undefined, name, { uid });
  for (const end = clock.now() + leaving; ; await clock.sleep(500)) {
    const found = await client.get<KubernetesObject>(Namespace, undefined, name);
    if (found?.metadata.uid !== uid) return say(`Deleted: Namespace ${name}.`);
    if (clock.now() >= end)
      throw new UserError(
        `${describe(referenceTo(found))} was deleted and does not go: ${whyItStays(found)} Then run this again.`,
      );
  }
}

/** What Kubernetes says of a namespace that is being deleted. */
function whyItStays(namespace: KubernetesObject): string {
  const { conditions = [] } = (namespace.status ?? {}) as {
    conditions?: readonly { readonly status: string; readonly message?: string }[];
  };
  const messages = conditions.flatMap(({ status, message }) => (status === "True" && message ? [`${message}.`] : []));
  return messages.join(" ") || "the API server does not say why.";
}

const Definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
} as const;

/** The definitions that an uninstall leaves, in a sentence. @throws ApiError */
export async function describeDefinitions(client: Client, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    names.map(async (name) => ((await client.get(Definition, undefined, name, { metadataOnly: true })) ? [name] : [])),
  );
  const there = found.flat();
  if (there.length === 0) return [];
  return [`These definitions stay: ${there.join(", ")}. The API server would delete every object of theirs with them.`];
}
