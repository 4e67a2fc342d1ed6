import { isDeepStrictEqual } from "node:util";
import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { type Cause, forbiddenValue, requiredValue } from "../validation/status-cause.ts";
import { fieldsAt, objectIn, setMissing, specOf, statusOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** PersistentVolumeClaims: the spec is immutable after creation but for the binding and, once bound, the size. */
export const claimStrategy: Strategy = {
  answersDeleted: true,

  defaults(claim) {
    setMissing(objectIn(claim, "spec"), { volumeMode: "Filesystem" });
    setMissing(objectIn(claim, "status"), { phase: "Pending" });
  },

  prepareCreate(claim) {
    claim.status = { phase: "Pending" };
  },

  validate(claim, live) {
    const spec = specOf(claim);
    if (!live) return checkClaimSpec(spec);
    return checkChange(spec, specOf(live), statusOf(claim).phase === "Bound");
  },
};

/** What is wrong with the spec of a new claim, or of a template of claims, that stands at `path`. */
export function checkClaimSpec(spec: Fields, path = "spec"): Cause[] {
  const causes: Cause[] = [];
  if (!Array.isArray(spec.accessModes) || spec.accessModes.length === 0) {
    causes.push(requiredValue(`${path}.accessModes`, "at least 1 access mode is required"));
  }
  if (fieldsAt(spec, "resources", "requests").storage === undefined) {
    causes.push(requiredValue(`${path}.resources[storage]`));
  }
  return causes;
}

function checkChange(next: Fields, live: Fields, bound: boolean): Cause[] {
  const adjusted: Fields = { ...live };
  if (!live.volumeName) adjusted.volumeName = next.volumeName;
  if (live.storageClassName === undefined) adjusted.storageClassName = next.storageClassName;
  if (bound) {
    adjusted.resources = next.resources;
    adjusted.volumeAttributesClassName = next.volumeAttributesClassName;
  }
  if (isDeepStrictEqual(compact(adjusted), compact(next))) return [];
  const why =
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  return [forbiddenValue("spec", why)];
}

const compact = (spec: Fields) =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined && value !== ""));
