import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { objectIn, objectsIn } from "../kinds/fields.ts";
import type { Resource } from "../resource.ts";

const taints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const tolerationSeconds = 300;

/**
 * DefaultTolerationSeconds: a pod that says nothing about nodes that are not ready or cannot be reached stays on one
 * for five minutes, and an update that takes that away has no effect. In place.
 */
export function applyDefaultTolerations(resource: Resource, object: KubernetesObject): void {
  if (resource.kind !== "Pod" || resource.apiVersion !== "v1") return;
  const spec = objectIn(object, "spec");
  const given = objectsIn(spec, "tolerations");
  const missing = taints.filter(
    (taint) => !given.some(({ key, effect }) => (!key || key === taint) && (!effect || effect === "NoExecute")),
  );
  if (missing.length === 0) return;
  const added = missing.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds }));
  spec.tolerations = [...given, ...added];
}
