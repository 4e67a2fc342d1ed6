import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { applyJsonPatch, type JsonPatchOperation } from "../../../../shared/kubernetes/json-patch.ts";
import { satelliteLabel } from "../kinds.ts";
import type { Patch } from "../schema/satellite-spec.ts";
import { isSelected, type Patchable } from "./patch-target.ts";
import { mergeDaemonSet } from "./strategic-merge.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The object with all patches that are meant for it, or what is wrong with one of them, as a sentence. */
export type Patched = { readonly object: Fields } | { readonly problem: string };

/**
 * Applies patches of a LinstorSatellite to an object, one after the other, as kustomize does: a list is a JSON patch
 * (RFC 6902) and needs a target, an object is a strategic merge patch, which may name its object itself. Those for
 * other objects are passed over. Where one cannot be applied none is, and none by half.
 */
export function applyPatches(object: Fields, patchable: Patchable, patches: readonly Patch[]): Patched {
  let patched = object;
  for (const [index, patch] of patches.entries()) {
    try {
      patched = applied(patched, patchable, ofDaemonSet(read(patch)));
    } catch (error) {
      const title = `Patch ${index + 1} of the satellite cannot be applied, and the satellite runs on as it did.`;
      const remedy = "Correct it in the LinstorSatelliteConfiguration that it comes from.";
      return { problem: `${title} ${(error as Error).message} ${remedy}` };
    }
  }
  return { object: patched };
}

/** A patch that has been read: of either kind, and for the objects that its target selects, or that it names itself. */
type ReadPatch =
  | { readonly operations: readonly JsonPatchOperation[]; readonly target: Target }
  | { readonly changes: Changes; readonly target: Target | undefined };
type Target = NonNullable<Patch["target"]>;

/** A strategic merge patch, as far as it says which object it is for. */
interface Changes extends Fields {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly labels?: Fields; readonly annotations?: Fields };
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function read({ patch, target }: Patch): ReadPatch {
  let content: unknown;
  try {
    content = parse(patch);
  } catch (error) {
    throw new Error(`It is no YAML: ${(error as Error).message.split("\n")[0]}.`);
  }
  if (Array.isArray(content) && content.every(isObject)) {
    if (target) return { operations: content, target };
    throw new Error("It is a JSON patch, and needs a target that says which object it is for.");
  }
  if (!isObject(content)) throw new Error("It is neither a strategic merge patch nor a JSON patch.");
  if (target || "kind" in content) return { changes: content as Changes, target };
  throw new Error("It needs a kind, or a target, that says which object it is for.");
}

/**
 * Satellites were bare Pods once, and a patch of the Pod `satellite` is one of the DaemonSet's template still, as
 * piraeus-operator has it. All else is as it was.
 */
function ofDaemonSet(patch: ReadPatch): ReadPatch {
  const changes: Changes = "changes" in patch ? patch.changes : {};
  const { name, ...metadata } = changes.metadata ?? {};
  if ((patch.target?.kind || changes.kind) !== "Pod" || (patch.target?.name || name) !== "satellite") return patch;
  const target = { kind: "DaemonSet", name: "linstor-satellite" };
  if ("changes" in patch) return { changes: { spec: { template: { metadata, spec: changes.spec ?? {} } } }, target };
  const below = (path: unknown) => (typeof path === "string" && path !== "" ? `/spec/template${path}` : path);
  const operations = patch.operations.map(({ path, from, ...operation }) => ({
    ...operation,
    path: below(path),
    from: below(from),
  }));
  return { operations, target };
}

function applied(object: Fields, patchable: Patchable, patch: ReadPatch): Fields {
  if (patch.target && !isSelected(patch.target, object, patchable)) return object;
  if ("operations" in patch)
    return asBefore(object, applyJsonPatch(structuredClone(object), patch.operations) as Fields);
  // Which object it is, is not the patch's to say.
  const { apiVersion: _, kind, metadata: { name, labels, annotations } = {}, ...rest } = patch.changes;
  if (!patch.target?.kind && kind !== undefined && kind !== patchable.kind) return object;
  if (!patch.target && name !== undefined && name !== patchable.name) return object;
  const metadata = { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  return asBefore(object, mergeDaemonSet(object, { ...rest, metadata }));
}

/** What a patch has come to, which must be the same object still: by this it is found again. */
function asBefore(object: Fields, patched: Fields | null): Fields {
  const [before, after] = [identityOf(object), identityOf(patched)];
  if (patched && isDeepStrictEqual(before, after)) return patched;
  const label = `the label ${satelliteLabel}`;
  throw new Error(`It changes the object's kind, name, namespace or ${label}, which have to stay.`);
}

function identityOf(object: Fields | null) {
  const { apiVersion, kind, metadata } = object ?? {};
  const { name, namespace, labels } = (metadata ?? {}) as Record<string, unknown>;
  return { apiVersion, kind, name, namespace, label: (labels as Fields | null | undefined)?.[satelliteLabel] };
}
