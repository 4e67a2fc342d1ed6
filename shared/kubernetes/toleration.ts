/** `core/v1.Taint`. */
export interface Taint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: string;
}

/** `core/v1.Toleration`. */
export interface Toleration {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
  readonly tolerationSeconds?: number | undefined;
}

/**
 * Whether a toleration covers a taint, as core/v1's `Toleration.ToleratesTaint`: an empty key or effect covers all,
 * `Exists` covers every value.
 */
export function tolerates({ key, operator, value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === "Exists" || ((operator || "Equal") === "Equal" && value === (taint.value ?? ""));
}

/** The first toleration that covers the taint. */
export const findToleration = <T extends Toleration>(tolerations: readonly T[] = [], taint: Taint): T | undefined =>
  tolerations.find((toleration) => tolerates(toleration, taint));
