import { groupOf } from "../../../shared/kubernetes/kind.ts";
import type { Resource } from "../resource.ts";

/** An API group with the resources of each of its versions, the preferred version first. */
export interface Group {
  /** Empty for the core group. */
  readonly name: string;
  readonly versions: readonly GroupVersion[];
}

export interface GroupVersion {
  /** `v1` or `group/version`. */
  readonly apiVersion: string;
  readonly version: string;
  readonly resources: readonly Resource[];
}

/** The served groups in the order in which their resources were named. */
export function groupsOf(resources: readonly Resource[]): Group[] {
  return [...Map.groupBy(resources, groupOf)].map(([name, members]) => ({
    name,
    versions: [...Map.groupBy(members, ({ apiVersion }) => apiVersion)]
      .map(([apiVersion, own]) => ({ apiVersion, version: apiVersion.split("/").at(-1) ?? "", resources: own }))
      .sort((a, b) => priority(b.version) - priority(a.version)),
  }));
}

/** Stable versions before betas before alphas, and the newer of each first. */
function priority(version: string): number {
  const [, major = 0, stage, minor = 0] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  const rank = stage === undefined ? 2 : stage === "beta" ? 1 : 0;
  return rank * 1e6 + Number(major) * 1e3 + Number(minor);
}
