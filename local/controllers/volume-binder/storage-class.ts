import type { ClaimObject, ClassObject } from "../objects/storage.ts";

/** Whether the claim's volume is chosen or made only when its first pod is scheduled. */
export function waitsForConsumer(claim: ClaimObject, classOf: (name: string) => ClassObject | undefined): boolean {
  const name = claim.spec.storageClassName;
  return Boolean(name) && classOf(name ?? "")?.volumeBindingMode === "WaitForFirstConsumer";
}
