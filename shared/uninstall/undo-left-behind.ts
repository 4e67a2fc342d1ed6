import { isConflict } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { send } from "../kubernetes/write.ts";
import type { Rule } from "../rule.ts";
import type { LeftBehind } from "./declaration.ts";
import { listServed } from "./list-served.ts";
import { someOf } from "./some-of.ts";

/** So often an object is read and written again: each thing to take back is one write, and others write, too. */
const attempts = 10;

/**
 * Takes back what the rules have written and what could delete data without them. Returns a sentence for each thing,
 * with the objects. The rules must not be at work any more: they would write it again.
 *
 * @throws ApiError
 */
export async function undoLeftBehind(
  client: Client,
  rules: readonly Pick<Rule, "leavesBehind">[],
): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const left of rules.flatMap(({ leavesBehind = [] }) => leavesBehind)) {
    if (!left.undo) continue;
    const undone: KubernetesObject[] = [];
    for (const object of await Array.fromAsync(listServed<KubernetesObject>(client, left.kind)))
      if (await undoOne(client, left, object)) undone.push(object);
    if (undone.length > 0) sentences.push(`Put back as they were: ${left.what}: ${someOf(undone)}.`);
  }
  return sentences;
}

/** What `undoLeftBehind` would write. @throws ApiError */
export async function leftToUndo(client: Client, rules: readonly Pick<Rule, "leavesBehind">[]) {
  const found: { readonly kind: LeftBehind["kind"]; readonly object: KubernetesObject }[] = [];
  for (const { kind, undo } of rules.flatMap(({ leavesBehind = [] }) => leavesBehind))
    for await (const object of undo ? listServed<KubernetesObject>(client, kind) : [])
      if (undo?.(object)) found.push({ kind, object });
  return found;
}

/** Whether anything was taken back. */
async function undoOne(client: Client, { kind, undo }: LeftBehind, listed: KubernetesObject): Promise<boolean> {
  const { namespace, name } = listed.metadata;
  if (!undo?.(listed)) return false;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const object = await client.get<KubernetesObject>(kind, namespace, name);
    const write = object && undo?.(object);
    if (!write) return true;
    try {
      await send(client, write);
    } catch (error) {
      // Another writer was quicker.
      if (attempt === attempts || !isConflict(error)) throw error;
    }
  }
  return true;
}
