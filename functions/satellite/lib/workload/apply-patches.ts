import { parse } from "yaml";
import type { Patch } from "../schema/satellite-spec.ts";
import { strategicMerge } from "./strategic-merge.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An object that patches may be meant for, under the name that piraeus-operator's patches know it by. */
export interface Patchable {
  readonly kind: string;
  readonly name: string;
}

/** The object with all patches that are meant for it, or what is wrong with one of them, as a sentence. */
export type Patched = { readonly object: Fields } | { readonly problem: string };

/**
 * Applies patches of a LinstorSatellite to an object, one after the other. Those for other objects are passed over, as
 * kustomize does with a target that is not there.
 */
export function applyPatches(object: Fields, { kind, name }: Patchable, patches: readonly Patch[]): Patched {
  let patched = object;
  for (const [index, { patch, target }] of patches.entries()) {
    const title = `Patch ${index + 1} of the satellite`;
    let changes: unknown;
    try {
      changes = parse(patch);
    } catch (error) {
      return { problem: `${title} is no YAML: ${(error as Error).message.split("\n")[0]}.` };
    }
    if (Array.isArray(changes))
      return { problem: `${title} is a JSON patch. Write it as a strategic merge patch, or as a podTemplate.` };
    if (typeof changes !== "object" || changes === null) return { problem: `${title} is no object.` };
    const { kind: own, metadata } = changes as { kind?: string; metadata?: { name?: string } };
    const isMeant = matches(target?.kind ?? own, kind) && matches(target?.name ?? metadata?.name, name);
    if (!isMeant || (target?.kind === undefined && own === undefined)) continue;
    // Which object it is, is not the patch's to say.
    const { apiVersion: _, kind: __, metadata: ___, ...rest } = changes as Fields;
    const { labels, annotations } = (metadata ?? {}) as { labels?: Fields; annotations?: Fields };
    const meta = { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
    try {
      patched = strategicMerge(patched, Object.keys(meta).length > 0 ? { ...rest, metadata: meta } : rest);
    } catch (error) {
      return { problem: `${title} cannot be applied. ${(error as Error).message}` };
    }
  }
  return { object: patched };
}

/** Targets are regular expressions from beginning to end; without one everything is meant. */
function matches(pattern: string | undefined, name: string): boolean {
  if (pattern === undefined || pattern === "") return true;
  try {
    return new RegExp(`^(?:${pattern})$`).test(name);
  } catch {
    return pattern === name;
  }
}
