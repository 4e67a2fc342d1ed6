import { isEphemeral, scopeOf } from "../../functions/undelete/lib/scope.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Claim } from "../../shared/storage/volume.ts";
import { type Objects, objectsOf } from "../api/use-list.ts";
import type { KeptFor } from "./fate.ts";

/** What claims are in, and of. */
export interface Around {
  readonly namespaces: Objects<KubernetesObject>;
  readonly classes: Objects<KubernetesObject>;
}

/** What annotations ask for, as far as namespaces and StorageClasses are read: what is unread may ask, too. */
export function keptForOf({ namespaces, classes }: Around): KeptFor {
  const [homes, kinds] = [named(namespaces), named(classes)];
  return (object) => {
    const claim = object as Claim & { readonly spec: { readonly storageClassName?: string } };
    const { storageClassName = "" } = claim.spec;
    const { by, text } = scopeOf(claim, homes.get(claim.metadata.namespace ?? ""), kinds.get(storageClassName));
    if (by === "claim" || isEphemeral(claim)) return text;
    if (!isRead(namespaces)) return null;
    return by === "namespace" || storageClassName === "" || isRead(classes) ? text : null;
  };
}

/**
 * Whether the function that keeps volumes is installed, out of the Services and Deployments of functions; `undefined`
 * where it is among none of those that are read.
 */
export function hasUndelete(functions: readonly Objects<KubernetesObject>[]): boolean | undefined {
  if (functions.flatMap(objectsOf).some(({ metadata }) => metadata.name === "undelete-retain")) return true;
  return functions.every(isRead) ? false : undefined;
}

const named = (list: Objects<KubernetesObject>) => new Map(objectsOf(list).map((one) => [one.metadata.name, one]));
const isRead = ({ is }: Objects<KubernetesObject>) => is === "ready" || is === "absent";
