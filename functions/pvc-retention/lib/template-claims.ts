import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { StatefulSet } from "./stateful-set.ts";

/** Kubernetes reads ordinals as 32-bit integers. */
const largestOrdinal = 2 ** 31 - 1;

/**
 * The ordinal of a claim that has the name of one of the set's, by the static scheme `<template>-<set>-<ordinal>`;
 * `undefined` when it has not. A name proves nothing: template `a-b` of set `c` and template `a` of set `b-c` yield the
 * same one.
 */
export function ordinalOf({ metadata, spec }: StatefulSet, claimName: string): number | undefined {
  for (const template of spec.volumeClaimTemplates ?? []) {
    const prefix = `${template.metadata.name}-${metadata.name}-`;
    if (!claimName.startsWith(prefix)) continue;
    const digits = claimName.slice(prefix.length);
    // `data-web-01` is no claim of `web`: no pod of it would ever be given that claim.
    if (/^(0|[1-9][0-9]*)$/.test(digits) && Number(digits) <= largestOrdinal) return Number(digits);
  }
  return undefined;
}

/** So many sets are looked for at most: templates have short names. */
const mostSets = 8;

/**
 * The sets, by name, whose claim `claimName` may be, by that same scheme. Which of them there are, and which has such a
 * template, only a look shows.
 */
export function setsNamedBy(claimName: string): readonly string[] {
  const words = claimName.split("-");
  const names = words.slice(1, -1).map((_, index) => words.slice(index + 1, -1).join("-"));
  return names.slice(0, mostSets);
}

/**
 * What a claim's labels say of a set: they are those of the selector, they lack some, or one has another value.
 * Kubernetes gives new claims the labels of the selector; one that was made by hand may have none.
 */
export function labelsFor({ spec }: StatefulSet, { metadata }: KubernetesObject): "match" | "lack" | "differ" {
  const wanted = Object.entries(spec.selector?.matchLabels ?? {});
  const values = wanted.map(([key, value]) => [metadata.labels?.[key], value]);
  if (values.some(([has, value]) => has !== undefined && has !== value)) return "differ";
  return values.every(([has, value]) => has === value) ? "match" : "lack";
}
