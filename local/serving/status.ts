import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Condition, withConditions } from "../controllers/objects/condition.ts";

/** Where a Service stands: its newest revision, the one that takes the traffic, and why they are not the same. */
export interface Standing {
  readonly created?: string;
  readonly ready?: string;
  /** The newest revision, or the Service itself, cannot be had. */
  readonly fault?: { readonly reason: string; readonly message: string };
}

/** A Knative Service's status. */
export interface ServiceStatus {
  observedGeneration?: number;
  url?: string;
  address?: { url: string };
  latestCreatedRevisionName?: string;
  latestReadyRevisionName?: string;
  traffic?: readonly { revisionName: string; latestRevision: boolean; percent: number }[];
  conditions?: readonly Condition[];
}

/** The URL by which the cluster knows a Service. */
export const urlOf = (namespace: string, name: string): string => `http://${name}.${namespace}.svc.cluster.local`;

/** The status that tells `standing`, with the conditions that Knative writes; `now` is a timestamp. */
export function statusOf(service: KubernetesObject, { created, ready, fault }: Standing, now: string): ServiceStatus {
  const before = service.status as ServiceStatus | undefined;
  const { name, namespace = "default", generation } = service.metadata;
  const url = urlOf(namespace, name);
  const configured: Verdict = fault
    ? { status: "False", ...fault }
    : created === ready
      ? { status: "True" }
      : { status: "Unknown", reason: "RevisionMissing", message: `Revision ${created} is being started.` };
  const routed: Verdict = ready ? { status: "True" } : { ...configured };
  const conditions = withConditions(
    before?.conditions,
    [
      { type: "ConfigurationsReady", ...configured },
      { type: "Ready", ...(configured.status === "True" ? routed : configured) },
      { type: "RoutesReady", ...routed },
    ],
    now,
  );
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    url,
    address: { url },
    ...(created ? { latestCreatedRevisionName: created } : {}),
    ...(ready
      ? {
          latestReadyRevisionName: ready,
          traffic: [{ revisionName: ready, latestRevision: true, percent: 100 }],
        }
      : {}),
    conditions,
  };
}

type Verdict = Pick<Condition, "status" | "reason" | "message">;
