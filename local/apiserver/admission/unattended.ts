import type { Call } from "../request/call.ts";

/** Kinds of `apps/v1` that are served, for kubectl to be tried on, and that no controller here makes pods of. */
const unattended = ["DaemonSet", "Deployment", "ReplicaSet"];

/** Warns a user who creates something that no controller acts on. */
export function warnOfUnattended({ resource, warnings }: Call): void {
  if (resource.apiVersion !== "apps/v1" || !unattended.includes(resource.kind)) return;
  warnings.push(`the laptop edition has no controller for ${resource.plural}: no pods will be made of this one`);
}
