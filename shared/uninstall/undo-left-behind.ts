import { UserError } from "../command/user-error.ts";
import { ApiError, isConflict } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { send } from "../kubernetes/write.ts";
import type { Rule } from "../rule.ts";
import type { LeftBehind } from "./declaration.ts";
import { listServed } from "./list-served.ts";
import { someOf } from "./some-of.ts";

/** So often an object is read and written again: each thing to take back is one write, and others write, too. */
const attempts = 10;

/** What became of what the rules have written. */
interface Undone<Undoing> {
  /** A sentence for each thing that was taken back, with the objects. */
  readonly sentences: readonly string[];
  /** What the API server has refused, in its words. */
  readonly refusals: readonly string[];
  /** The rules that this is of. What they hold objects by must stay: it may be for the sake of this. */
  readonly refused: readonly Undoing[];
}

/**
 * Takes back what the rules have written and what could delete data without them. Where the API server refuses to have
 * one object written, it goes on with the others. The rules must not be at work any more: they would write it again.
 *
 * @throws ApiError where there is no answer
 */
export async function undoLeftBehind<Undoing extends Pick<Rule, "leavesBehind">>(
  client: Client,
  rules: readonly Undoing[],
): Promise<Undone<Undoing>> {
  const sentences: string[] = [];
  const refusals: string[] = [];
  const refused = new Set<Undoing>();
  for (const [rule, left] of rules.flatMap((rule) => (rule.leavesBehind ?? []).map((left) => [rule, left] as const))) {
    if (!left.undo) continue;
    const undone: KubernetesObject[] = [];
    for (const object of await Array.fromAsync(listServed<KubernetesObject>(client, left.kind)))
      try {
        if (await undoOne(client, left, object)) undone.push(object);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 0) throw error;
        refusals.push(error.message);
        refused.add(rule);
      }
    if (undone.length > 0) sentences.push(`Put back as they were: ${left.what}: ${someOf(undone)}.`);
  }
  return { sentences, refusals, refused: [...refused] };
}

/** What an uninstall ends with where something was refused. */
export const refusedBy = (refusals: readonly string[]): UserError =>
  new UserError(
    `Some objects could not be put back as they were. Remove the cause, then run this again. There are ` +
      `${refusals.length} refusals; the first: ${refusals.slice(0, 5).join(" ")}`,
  );

/** What they would write. @throws ApiError */
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
