import type { Family, Kind } from "../../shared/kubernetes/kind.ts";

/**
 * The family of a kind, which is also the name of its broker.
 *
 * @throws Error when its declaration names none.
 */
export function familyOf({ apiVersion, kind, family }: Kind): Family {
  if (!family) throw new Error(`${kind} of ${apiVersion} triggers a rule: give its declaration a family of events.`);
  return family;
}
