import { retentionOf } from "../../functions/pvc-retention/lib/stateful-set.ts";
import { labelsFor, ordinalOf } from "../../functions/pvc-retention/lib/template-claims.ts";
import { keepKey } from "../../functions/undelete/lib/scope.ts";
import type { ClaimObject, SetObject } from "./claim.ts";

/** What would become of a set's claims, as sentences. */
export interface Fate {
  readonly scaled: string;
  readonly deleted: string;
}

/** More names than a person reads are counted. */
const mostNamed = 4;

/** What a scale-down to one less, and a deletion of the set, would take along. */
export function fateOf(set: SetObject, claims: readonly ClaimObject[]): Fate {
  const { whenDeleted, whenScaled } = retentionOf(set);
  const { replicas = 1 } = set.spec;
  const own = claims
    .filter((claim) => labelsFor(set, claim) !== "differ")
    .flatMap((claim) => {
      const ordinal = ordinalOf(set, claim.metadata.name);
      return ordinal === undefined ? [] : [{ claim, ordinal }];
    });
  const last = own.filter(({ ordinal }) => ordinal === replicas - 1).map(({ claim }) => claim);
  const all = own.map(({ claim }) => claim);
  const target = replicas - 1;
  return {
    scaled:
      replicas === 0
        ? "There is no replica to take away."
        : last.length === 0
          ? `To ${target}: no claim goes, for the last replica has none.`
          : `To ${target}: ${sentence(last, whenScaled)}`,
    deleted: all.length === 0 ? "The set has no claims." : sentence(all, whenDeleted),
  };
}

function sentence(claims: readonly ClaimObject[], fate: "Retain" | "Delete"): string {
  const names = claims
    .map(({ metadata }) => metadata.name)
    .sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  const named =
    names.length > mostNamed
      ? `${names.slice(0, mostNamed).join(", ")} and ${names.length - mostNamed} more`
      : names.join(" and ");
  if (fate === "Retain") return `${named} ${names.length > 1 ? "stay" : "stays"}.`;
  const kept = claims.map(({ metadata }) => metadata.annotations?.[keepKey]).find((text) => text && text !== "none");
  const asked = kept ? `; an annotation asks to keep the volumes for ${kept}, if undelete is installed` : "";
  return `${named} ${names.length > 1 ? "go" : "goes"}${asked}.`;
}
