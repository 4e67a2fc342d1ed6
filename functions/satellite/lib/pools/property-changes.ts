import type { PropertyChanges } from "../linstor/client.ts";

/**
 * Property that lists the keys of those that were set, as piraeus-operator has it: what is no longer wanted is found by
 * it.
 */
export const lastAppliedKey = "Aux/piraeus.io/last-applied";

type Properties = Readonly<Record<string, string>>;

/**
 * What has to change so that the properties are as wanted; `undefined` when nothing does. Only those are removed that
 * were set by us or by piraeus-operator before: what LINSTOR, people and other programs have set stays.
 */
export function propertyChanges(present: Properties, wanted: Properties): PropertyChanges | undefined {
  const keys = Object.keys(wanted).sort();
  const all = { ...wanted, [lastAppliedKey]: JSON.stringify(keys) };
  const set = Object.fromEntries(Object.entries(all).filter(([key, value]) => present[key] !== value));
  const remove = lastApplied(present).filter((key) => !(key in wanted) && present[key] !== undefined);
  // Without properties of its own a node needs no list of them.
  if (keys.length === 0 && present[lastAppliedKey] === undefined) return undefined;
  if (Object.keys(set).length === 0 && remove.length === 0) return undefined;
  return { ...(Object.keys(set).length > 0 ? { set } : {}), ...(remove.length > 0 ? { remove } : {}) };
}

function lastApplied(present: Properties): readonly string[] {
  try {
    const keys: unknown = JSON.parse(present[lastAppliedKey] ?? "[]");
    return Array.isArray(keys) ? keys.filter((key) => typeof key === "string" && key !== lastAppliedKey) : [];
  } catch {
    return [];
  }
}
