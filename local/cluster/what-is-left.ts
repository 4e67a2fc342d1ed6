import type { Client } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Rule } from "../../shared/rule.ts";
import type { Held } from "./held-objects.ts";

/** In a few sentences for each thing that the rules leave behind: the objects on which it has an effect. */
export async function describeLeftBehind(
  client: Client,
  rules: readonly Pick<Rule, "leavesBehind">[],
): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const { kind, isOn, what, effect } of rules.flatMap(({ leavesBehind = [] }) => leavesBehind)) {
    const found: KubernetesObject[] = [];
    for await (const object of client.list<KubernetesObject>(kind)) if (isOn(object)) found.push(object);
    if (found.length > 0) sentences.push(`There are ${what}: ${someOf(found)}. ${effect}`);
  }
  return sentences;
}

/** In a sentence or two for each finalizer: what carries it, at least one object, and what that means. */
export function describeHeld(held: readonly Held[]): readonly string[] {
  return [...Map.groupBy(held, ({ hold }) => hold)].map(([{ kind, finalizer }, ofIt]) => {
    const count = ofIt.length === 1 ? `One ${kind.kind} carries` : `${ofIt.length} ${kind.plural} carry`;
    return (
      `${count} the finalizer ${finalizer} now: ${someOf(ofIt.map(({ object }) => object))}. ` +
      `Without the functions such a ${kind.kind} never goes when it is deleted.`
    );
  });
}

function someOf(objects: readonly KubernetesObject[]): string {
  const few = objects.slice(0, 5).map(({ metadata }) => [metadata.namespace, metadata.name].filter(Boolean).join("/"));
  return few.join(", ") + (objects.length > few.length ? ` and ${objects.length - few.length} more` : "");
}
