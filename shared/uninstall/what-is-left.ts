import type { Client } from "../kubernetes/client.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { Rule } from "../rule.ts";
import type { Held } from "./held-objects.ts";
import { listServed } from "./list-served.ts";
import { someOf } from "./some-of.ts";

/** In a few sentences for each thing that the rules leave behind: the first objects on which it has an effect. */
export async function describeLeftBehind(
  client: Client,
  rules: readonly Pick<Rule, "leavesBehind">[],
  most?: number,
): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const { kind, isOn, what, effect } of rules.flatMap(({ leavesBehind = [] }) => leavesBehind)) {
    const found: KubernetesObject[] = [];
    for await (const object of listServed<KubernetesObject>(client, kind)) if (isOn(object)) found.push(object);
    if (found.length > 0) sentences.push(`There are ${what}: ${someOf(found, most)}. ${effect}`);
  }
  return sentences;
}

/** In a sentence or two for each finalizer: what carries it, at least one object, and what that means. */
export function describeHeld(held: readonly Held[]): readonly string[] {
  return [...Map.groupBy(held, ({ hold }) => hold)].map(([{ kind, finalizer }, ofIt]) => {
    const count = ofIt.length === 1 ? `One ${kind.kind} carries` : `${ofIt.length} ${kind.plural} carry`;
    return (
      `${count} the finalizer ${finalizer} now: ${someOf(ofIt.map(({ object }) => object))}. ` +
      `Without the functions, such a ${kind.kind} stays for ever when it is deleted.`
    );
  });
}

/** In a sentence for each finalizer that was removed: from what. */
export function describeLetGo(held: readonly Held[]): readonly string[] {
  return [...Map.groupBy(held, ({ hold }) => hold)].map(([{ kind, finalizer }, ofIt]) => {
    const count = ofIt.length === 1 ? `one ${kind.kind}` : `${ofIt.length} ${kind.plural}`;
    return `The finalizer ${finalizer} was removed from ${count}: ${someOf(ofIt.map(({ object }) => object))}.`;
  });
}

/** In a sentence for each finalizer that an uninstall leaves: what carries it, and why it stays. */
export function describeStanding(held: readonly Held[]): readonly string[] {
  const standing = held.filter(({ hold }) => hold.standsFor);
  return [...Map.groupBy(standing, ({ hold }) => hold)].map(
    ([{ kind, finalizer, standsFor }, ofIt]) =>
      `The finalizer ${finalizer} stays on ${kind.plural}, because they stand for ${standsFor}: ` +
      `${someOf(ofIt.map(({ object }) => object))}. Do not delete them before Holdfast is installed again.`,
  );
}
