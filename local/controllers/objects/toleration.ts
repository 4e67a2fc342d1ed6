import type { Taint, Toleration } from "./node.ts";

/** Whether a pod with these tolerations may be on a node with the taint. */
export function tolerates(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return findToleration(tolerations, taint) !== undefined;
}

/** The first toleration that covers the taint: an empty key or effect covers all, `Exists` covers every value. */
export function findToleration(tolerations: readonly Toleration[] = [], taint: Taint): Toleration | undefined {
  return tolerations.find(
    ({ key, operator = "Equal", value = "", effect }) =>
      (!effect || effect === taint.effect) &&
      (!key || key === taint.key) &&
      (operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""))),
  );
}
