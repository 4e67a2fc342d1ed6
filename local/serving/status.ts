import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Condition, withConditions } from "../controllers/objects/condition.ts";
import type { TrafficTarget } from "./traffic.ts";

/** Where a Service stands: its newest revision, the newest that is ready, and why they are not the same. */
export interface ServiceState {
  readonly created?: string;
  readonly ready?: string;
  /** The newest revision, or the Service itself, cannot be had. */
  readonly fault?: Fault;
  /** Who gets its requests. */
  readonly traffic: readonly TrafficTarget[];
  /** Why another revision gets them. */
  readonly misrouted?: Fault;
}

/** Why something cannot be had. */
export interface Fault {
  readonly reason: string;
  readonly message: string;
}

/** A Knative Service's status. */
export interface ServiceStatus {
  observedGeneration?: number;
  url?: string;
  address?: { url: string };
  latestCreatedRevisionName?: string;
  latestReadyRevisionName?: string;
  traffic?: readonly { revisionName: string; latestRevision: boolean; percent: number; tag?: string; url?: string }[];
  conditions?: readonly Condition[];
}

/** The URL by which the cluster knows a Service. */
export const urlOf = (namespace: string, name: string): string => `http://${name}.${namespace}.svc.cluster.local`;

/** The status that shows `standing`, with the conditions that Knative writes; `now` is a timestamp. */
export function statusOf(service: KubernetesObject, standing: ServiceState, now: string): ServiceStatus {
  const { created, ready, fault, traffic, misrouted } = standing;
  const before = service.status as ServiceStatus | undefined;
  const { name, namespace = "default", generation } = service.metadata;
  const url = urlOf(namespace, name);
  const configured: Verdict = fault
    ? { status: "False", ...fault }
    : created === ready
      ? { status: "True" }
      : { status: "Unknown", reason: "RevisionMissing", message: `Revision ${created} is being started.` };
  const wrongly: Verdict | undefined = misrouted && { status: "False", ...misrouted };
  const routed: Verdict = wrongly ?? (ready ? { status: "True" } : { ...configured });
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
    ...(ready ? { latestReadyRevisionName: ready } : {}),
    ...(ready && !misrouted ? { traffic: traffic.map((target) => shown(target, ready, namespace, name)) } : {}),
    conditions,
  };
}

function shown({ tag, revisionName, percent }: TrafficTarget, ready: string, namespace: string, name: string) {
  const address = tag === undefined ? {} : { tag, url: urlOf(namespace, `${tag}-${name}`) };
  return { revisionName: revisionName ?? ready, latestRevision: revisionName === undefined, percent, ...address };
}

type Verdict = Pick<Condition, "status" | "reason" | "message">;
