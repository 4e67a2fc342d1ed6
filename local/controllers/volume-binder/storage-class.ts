import type { ClaimObject, ClassObject } from "../objects/storage.ts";
import { defaultClass } from "./annotations.ts";

/** The class that claims without one get: the youngest of those marked as default, by name among equals. */
export function findDefaultClass(classes: readonly ClassObject[]): ClassObject | undefined {
  const age = ({ metadata }: ClassObject) => metadata.creationTimestamp ?? "";
  return classes
    .filter(({ metadata }) => defaultClass.some((annotation) => metadata.annotations?.[annotation] === "true"))
    .sort((a, b) => age(b).localeCompare(age(a)) || a.metadata.name.localeCompare(b.metadata.name))[0];
}

/** Whether the claim's volume is chosen or made only when its first pod is scheduled. */
export function waitsForConsumer(claim: ClaimObject, classOf: (name: string) => ClassObject | undefined): boolean {
  const name = claim.spec.storageClassName;
  return Boolean(name) && classOf(name ?? "")?.volumeBindingMode === "WaitForFirstConsumer";
}
