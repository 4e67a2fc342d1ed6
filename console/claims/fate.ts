import {
  type ClaimFate,
  claimsAfterDeletion,
  claimsAfterScaling,
} from "../../functions/pvc-retention/lib/claims-after.ts";
import { labelsFor, ordinalOf } from "../../functions/pvc-retention/lib/template-claims.ts";
import { readDuration } from "../../shared/duration.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { SetObject } from "./claim.ts";

/** What would become of a set's claims, as sentences. */
export interface Fate {
  /** To so many replicas. */
  readonly scaled: (target: number) => string;
  readonly deleted: string;
}

/** A set with all pods and claims of its namespace. */
interface SetSeen {
  readonly set: SetObject;
  readonly pods: readonly KubernetesObject[];
  readonly claims: readonly KubernetesObject[];
}

/** For how long an annotation asks to keep the volume of a claim; null where it is not known whether one asks. */
export type KeptFor = (claim: KubernetesObject) => string | undefined | null;

/** What keeps the volumes of claims that go. */
export interface Keeping {
  readonly keptFor: KeptFor;
  /** Whether undelete is installed, which keeps them; `undefined` where that is not known. */
  readonly isInstalled: boolean | undefined;
}

/** More names than a person reads are counted. */
const mostNamed = 4;

/** What a scale-down and a deletion of the set would take along. */
export function fateOf({ set, pods, claims }: SetSeen, keeping: Keeping): Fate {
  const { replicas = 1 } = set.spec;
  const { start = 0 } = (set.spec.ordinals ?? {}) as { start?: number };
  const isOfSet = ({ metadata }: KubernetesObject) =>
    metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid) ?? false;
  const own = claims.filter((claim) => labelsFor(set, claim) !== "differ");
  const seen = { set, pods: pods.filter(isOfSet), claims: own };
  const isTaken = (claim: KubernetesObject, target: number) => {
    const ordinal = ordinalOf(set, claim.metadata.name) ?? -1;
    return ordinal >= start + target && ordinal < start + replicas;
  };
  const scaled = (target: number) => {
    if (replicas === 0) return "The set has no replicas.";
    const fates = claimsAfterScaling(seen, target).filter(({ claim, goes }) => goes || isTaken(claim, target));
    if (fates.length > 0) return `To ${target}: ${sentences(fates, keeping)}`;
    return `To ${target}: no claim goes. The removed replicas have no claims.`;
  };
  const all = claimsAfterDeletion(seen);
  return { scaled, deleted: all.length === 0 ? "The set has no claims." : sentences(all, keeping) };
}

function sentences(fates: readonly ClaimFate[], { keptFor, isInstalled }: Keeping): string {
  const going = fates.filter(({ goes }) => goes);
  const kept = going.map(({ claim }) => keptFor(claim));
  const found = kept.find((text) => typeof text === "string");
  const asked = found
    ? `; ${keptInWords(found, isInstalled)}`
    : kept.includes(null)
      ? "; whether an annotation asks to keep the volumes is not known"
      : "";
  const byReason = Map.groupBy(
    fates.filter(({ goes }) => !goes),
    ({ message }) => message,
  );
  return [
    ...(going.length > 0 ? [`${named(going)} ${going.length > 1 ? "go" : "goes"}${asked}.`] : []),
    ...[...byReason].map(([why, staying]) => `${named(staying)} ${staying.length > 1 ? "stay" : "stays"}. ${why}`),
  ].join(" ");
}

/** Whether the volumes outlive their claims: until when, if the claims went now. */
function keptInWords(text: string, isInstalled: boolean | undefined): string {
  const duration = readDuration(text);
  if (isInstalled && duration !== undefined) {
    const until = new Date(Date.now() + duration).toISOString().slice(0, 16);
    return `the volumes are kept for ${text}: until ${until}Z if you do this now`;
  }
  const asks = `an annotation asks to keep the volumes for ${text}`;
  if (isInstalled === undefined) return `${asks}, if undelete is installed`;
  return isInstalled ? asks : `${asks}, but undelete is not installed`;
}

function named(fates: readonly ClaimFate[]): string {
  const names = fates
    .map(({ claim }) => claim.metadata.name)
    .sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  return names.length > mostNamed
    ? `${names.slice(0, mostNamed).join(", ")} and ${names.length - mostNamed} more`
    : names.join(" and ");
}
