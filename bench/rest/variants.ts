import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

type Source = KubernetesObject & { spec: { resources: { selector?: object }[] } };
type Service = KubernetesObject & { spec: { template: { metadata: { annotations: Record<string, string> } } } };

/** Sources that send events of Holdfast's own pods, too. */
export function withOwnPods(object: KubernetesObject): KubernetesObject {
  if (object.kind !== "ApiServerSource") return object;
  const { spec } = object as Source;
  const resources = spec.resources.map(({ selector: _, ...resource }) => resource);
  return { ...object, spec: { ...spec, resources } };
}

/** A sweep that comes every minute and is there for ten idle seconds. */
export function everyMinute(object: KubernetesObject): KubernetesObject {
  if (object.kind === "PingSource") return { ...object, spec: { ...(object.spec as object), schedule: "* * * * *" } };
  if (object.kind !== "Service" || object.metadata.name !== "platform-sweep") return object;
  const sweep = structuredClone(object) as Service;
  sweep.spec.template.metadata.annotations["autoscaling.knative.dev/window"] = "10s";
  return sweep;
}
