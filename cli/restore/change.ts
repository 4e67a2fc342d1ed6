import { UserError } from "../../shared/command/user-error.ts";
import { annotate } from "../../shared/kubernetes/annotate.ts";
import { isConflict } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { send } from "../../shared/kubernetes/write.ts";

/** Annotations of one object, as it was read; null removes one. */
export interface Change {
  readonly kind: Kind;
  readonly object: KubernetesObject;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** The kubectl command that a change stands for. */
export function commandOf({ kind, object, annotations }: Change): string {
  const words = Object.entries(annotations).map(([key, value]) => (value === null ? `${key}-` : `${key}=${value}`));
  const short = kind.kind === "PersistentVolume" ? "pv" : kind.kind.toLowerCase();
  const overwrite = Object.values(annotations).some((value) => value !== null) ? " --overwrite" : "";
  return `kubectl annotate ${short} ${object.metadata.name} ${words.join(" ")}${overwrite}`;
}

/** Whether the object says so already: then nothing is written. */
export const isDone = ({ object, annotations }: Change): boolean =>
  Object.entries(annotations).every(([key, value]) => (object.metadata.annotations?.[key] ?? null) === value);

/**
 * Makes a change of the object as it was read.
 *
 * @throws UserError where it has changed since.
 * @throws ApiError
 */
export async function make(client: Client, { kind, object, annotations }: Change): Promise<void> {
  try {
    await send(client, annotate(kind, object, { ...annotations }));
  } catch (error) {
    if (!isConflict(error)) throw error;
    const what = describe(referenceTo(object));
    throw new UserError(`${what} has changed since it was read, and was not written. Run this again.`);
  }
}
