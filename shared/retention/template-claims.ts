import type { KubernetesObject } from "../kubernetes/object.ts";
import type { StatefulSet } from "./stateful-set.ts";

/** Which template of a set a claim's name is made from, and for which pod. */
export interface Origin {
  readonly template: string;
  readonly ordinal: number;
  /** The template's labels match the set's selector, and the claim's do not: it only has the name. */
  readonly relabelled: boolean;
}

/** Kubernetes reads ordinals as 32-bit integers. */
const largestOrdinal = 2 ** 31 - 1;

/**
 * Where a claim of a set comes from, by the static naming scheme `<template>-<set>-<ordinal>`; `undefined` when it is no claim
 * of this set by its name. Claims that were made by hand under the right name count, as KEP-1847 says. One with other labels than
 * the template demands is told apart: the set's pods use it all the same, and its references to the set work.
 */
export function originOf(set: StatefulSet, claim: KubernetesObject): Origin | undefined {
  for (const { metadata } of set.spec.volumeClaimTemplates ?? []) {
    const ordinal = ordinalAfter(prefixOf(metadata.name, set.metadata.name), claim.metadata.name);
    if (ordinal === undefined) continue;
    return { template: metadata.name, ordinal, relabelled: !carries(claim, set, metadata.labels) };
  }
  return undefined;
}

/**
 * Whether two sets of a namespace can yield the same claim name, as template `a-b` of set `c` and template `a` of set `b-c`
 * do: whose claim it is cannot be told from the claim.
 */
export function areRivals(one: StatefulSet, other: StatefulSet, template?: string): boolean {
  if (one.metadata.name === other.metadata.name) return false;
  const theirs = new Set(prefixesOf(other));
  return prefixesOf(one, template).some((prefix) => theirs.has(prefix));
}

/** Whether two sets can be rivals at all, by their names alone: one name is the end of the other. */
export function mayBeRivals(one: string, other: string): boolean {
  return one.endsWith(`-${other}`) || other.endsWith(`-${one}`);
}

function prefixesOf({ metadata, spec }: StatefulSet, only?: string): readonly string[] {
  const templates = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
  return templates.filter((name) => only === undefined || name === only).map((name) => prefixOf(name, metadata.name));
}

const prefixOf = (template: string, set: string) => `${template}-${set}-`;

/** `data-web-01` is no claim of `web`: no pod of it would ever be given that claim. */
function ordinalAfter(prefix: string, name: string): number | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const digits = name.slice(prefix.length);
  const ordinal = Number(digits);
  return /^(0|[1-9][0-9]*)$/.test(digits) && ordinal <= largestOrdinal ? ordinal : undefined;
}

/** Kubernetes gives new claims the set's labels; a claim made by hand may have none, if the template asks for none either. */
function carries(claim: KubernetesObject, set: StatefulSet, template: Record<string, string> = {}): boolean {
  const wanted = Object.entries(set.spec.selector?.matchLabels ?? {});
  if (!wanted.every(([key, value]) => template[key] === value)) return true;
  return wanted.every(([key, value]) => claim.metadata.labels?.[key] === value);
}
