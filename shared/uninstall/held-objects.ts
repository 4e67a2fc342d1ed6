import { UserError } from "../command/user-error.ts";
import { ApiError, isConflict } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import { hasFinalizer, removeFinalizer } from "../kubernetes/finalizer.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { send } from "../kubernetes/write.ts";
import { progressKey } from "../progress.ts";
import { progressNameOf, type Rule } from "../rule.ts";
import type { OwnFinalizer } from "./declaration.ts";
import { listServed } from "./list-served.ts";

/** A finalizer of ours, and the annotations that the rules which remove it write beside it. */
export interface Hold extends OwnFinalizer {
  readonly annotations: readonly string[];
}

/** What the rules hold objects by, each finalizer of a kind once. */
export function holdsOf(rules: readonly Pick<Rule, "name" | "progressName" | "finalizers">[]): readonly Hold[] {
  const declared = rules.flatMap((rule) =>
    (rule.finalizers ?? []).map((own) => ({ ...own, annotation: progressKey(progressNameOf(rule)) })),
  );
  const same = Map.groupBy(declared, ({ kind, finalizer }) => `${kind.apiVersion} ${kind.kind} ${finalizer}`);
  return [...same.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const annotations = [first, ...others].map(({ annotation }) => annotation);
    const { annotation: _, ...own } = first;
    return [{ ...own, annotations: [...new Set(annotations)] }];
  });
}

/** An object that carries a finalizer of ours: without the functions it would stay for ever. */
export interface Held {
  readonly hold: Hold;
  readonly object: KubernetesObject;
}

/** Those whose finalizer an uninstall removes. */
export const removable = (held: readonly Held[]) => held.filter(({ hold }) => !hold.standsFor);

/** What carries a finalizer of ours, in one namespace (and that itself) or in all. */
export async function heldObjects(client: Client, holds: readonly Hold[], namespace?: string): Promise<Held[]> {
  const held: Held[] = [];
  for (const hold of holds) {
    const { kind, finalizer } = hold;
    if (namespace && !kind.namespaced && kind.kind !== "Namespace") continue;
    const options = { ...(namespace && kind.namespaced ? { namespace } : {}), metadataOnly: true };
    for await (const object of listServed(client, kind, options)) {
      const isMeant = kind.namespaced || !namespace || object.metadata.name === namespace;
      if (isMeant && hasFinalizer(object, finalizer)) held.push({ hold, object });
    }
  }
  return held;
}

/**
 * Removes our finalizers and annotations from objects; another finalizer of one goes on holding it.
 *
 * @throws ApiError where there is no answer
 * @throws UserError at the end, with all that has failed
 */
export async function letGo(client: Client, held: readonly Held[]): Promise<void> {
  const failures: string[] = [];
  for (const { hold, object } of held)
    try {
      await letOneGo(client, hold, object.metadata);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 0) throw error;
      failures.push(error.message);
    }
  if (failures.length > 0)
    throw new UserError(
      `${failures.length} finalizers could not be removed. Mend the cause, then run this again. The first of them: ` +
        failures.slice(0, 5).join(" "),
    );
}

async function letOneGo(
  client: Client,
  { kind, finalizer, annotations }: Hold,
  { namespace, name }: KubernetesObject["metadata"],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const object = await client.get<KubernetesObject>(kind, namespace, name, { metadataOnly: true });
    if (!object || !hasFinalizer(object, finalizer)) return;
    try {
      return await send(client, removeFinalizer(kind, object, finalizer, annotations));
    } catch (error) {
      // Another client wrote the object in this moment.
      if (!isConflict(error) || attempt === 5) throw error;
    }
  }
}
