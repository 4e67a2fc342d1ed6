import { readFileSync } from "node:fs";
import { slug } from "../../shared/rule.ts";

/** The namespace of the default install; an overlay's `namespace:` moves everything elsewhere. */
export const namespace = "holdfast";

/** The label that is on everything of ours, pods of functions included, and its value. */
export const partOf = "app.kubernetes.io/part-of";
export const product = "holdfast";

/** The function that takes what no other would: every Trigger names it, where it exists. */
export const deadLetterFunction = "platform/dead-letter";

/** Labels by which everything, a system, or one function can be selected. */
export function labelsOf(ruleName: string): Record<string, string> {
  const [system = ruleName, rule = ruleName] = ruleName.split("/");
  return {
    [partOf]: product,
    "app.kubernetes.io/name": system,
    "app.kubernetes.io/component": rule,
  };
}

/** Metadata of a namespaced object of a rule. */
export function metadataOf(ruleName: string, name = slug(ruleName)) {
  return { name, namespace, labels: labelsOf(ruleName) };
}

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/**
 * Metadata of what runs a function: with the version of its manifest, by which `holdfast status` compares functions.
 * Pods have no such label, because each release would then roll functions that have not changed.
 */
export function workloadMetadataOf(ruleName: string) {
  const { labels, ...metadata } = metadataOf(ruleName);
  return { ...metadata, labels: { ...labels, "app.kubernetes.io/version": String(version) } };
}

/** Names of cluster-scoped objects say whose they are. */
export function clusterWide(name: string): string {
  return `holdfast-${name}`;
}
