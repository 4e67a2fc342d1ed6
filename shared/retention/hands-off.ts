import type { TemplateClaim } from "./look-at-set.ts";
import type { Owners } from "./owner-references.ts";

/** Why nobody may touch a claim of a set, as a whole sentence; `undefined` when nothing speaks against it. */
export function handsOff({ claim, rival, relabelled }: TemplateClaim, owners: Owners): string | undefined {
  const title = `Claim ${claim.metadata.name}`;
  if (rival) return `${title} is left alone, because the templates of StatefulSet ${rival} yield its name as well.`;
  if (relabelled) return `${title} is left alone, because its labels are not those of the set's claims.`;
  if (owners.stale)
    return `${title} is left alone, because it belongs to ${owners.stale.kind} ${owners.stale.name} of another uid.`;
  if (owners.foreignController) {
    const { kind, name } = owners.foreignController;
    return `${title} is left alone, because ${kind} ${name} controls it.`;
  }
  return undefined;
}

/**
 * Why a claim that the set's policy would delete is kept all the same. The garbage collector keeps an object as long as one of
 * its owners is there, whether it controls the object or not; so does whoever deletes a claim in its place.
 */
export function keptBecause(one: TemplateClaim, owners: Owners): string | undefined {
  const [owner] = owners.foreign;
  return (
    handsOff(one, owners) ??
    (owner && `Claim ${one.claim.metadata.name} is kept, because ${owner.kind} ${owner.name} owns it as well.`)
  );
}
