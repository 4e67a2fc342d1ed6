import * as z from "zod";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { Unobeyable } from "./unobeyable.ts";

/** A patch of a kustomization that appends to lists of one object, such as the kinds that a source watches. */
export interface AppendPatch {
  readonly target: { readonly kind: string; readonly name: string };
  readonly patch: readonly { readonly path: string; readonly value?: unknown }[];
}

const targets = z.array(
  z.strictObject({ target: z.strictObject({ kind: z.string(), name: z.string() }), patch: z.string() }),
);
const operations = z.array(
  z.strictObject({ op: z.literal("add"), path: z.string().regex(/^(\/[A-Za-z]+)+\/-$/), value: z.unknown() }),
);

/**
 * Reads the `patches` of a kustomization; `parse` reads YAML.
 *
 * @throws Unobeyable for any patch that does not append to lists of one object.
 */
export function readAppendPatches(patches: unknown, parse: (text: string) => unknown): readonly AppendPatch[] {
  const read = targets.safeParse(patches);
  const all = (read.data ?? []).map(({ target, patch }) => ({ target, patch: operations.safeParse(parse(patch)) }));
  if (!read.success || all.some(({ patch }) => !patch.success))
    throw new Unobeyable("patches of a kustomization is obeyed only where it adds to the end of lists of one object.");
  return all.map(({ target, patch }) => ({ target, patch: patch.data ?? [] }));
}

/** The object with what these patches append. A patch whose target is not there is passed over, as by kustomize. */
export function appended<T extends KubernetesObject>(object: T, patches: readonly AppendPatch[]): T {
  const own = patches.filter(({ target }) => target.kind === object.kind && target.name === object.metadata?.name);
  if (own.length === 0) return object;
  const changed = structuredClone(object);
  for (const { path, value } of own.flatMap(({ patch }) => patch)) {
    const list = path
      .split("/")
      .slice(1, -1)
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], changed);
    if (!Array.isArray(list)) throw new Unobeyable(`${object.kind} ${object.metadata.name} has no list at ${path}.`);
    list.push(value);
  }
  return changed;
}
