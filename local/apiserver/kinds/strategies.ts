import { groupOf } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { defaultCustom } from "../custom/default.ts";
import { validateCustom } from "../custom/validate.ts";
import { remember } from "../remember.ts";
import type { Resource } from "../resource.ts";
import {
  mutatingPolicyBindingStrategy,
  mutatingPolicyStrategy,
  validatingPolicyBindingStrategy,
  validatingPolicyStrategy,
} from "./admission-policy.ts";
import { claimStrategy } from "./claim.ts";
import { definitionStrategy } from "./definition-strategy.ts";
import { coreEventStrategy, groupedEventStrategy } from "./event.ts";
import { namespaceStrategy } from "./namespace.ts";
import { podStrategy } from "./pod.ts";
import { nodeStrategy, roleBindingStrategy, roleStrategy, secretStrategy, serviceStrategy } from "./simple-kinds.ts";
import { statefulSetStrategy } from "./stateful-set.ts";
import type { Strategy } from "./strategy.ts";
import { attachmentStrategy, storageClassStrategy, volumeStrategy } from "./volume.ts";
import { daemonSetStrategy, unattendedStrategy } from "./workload.ts";

const builtin: Readonly<Record<string, Strategy>> = {
  "/events": coreEventStrategy,
  "/namespaces": namespaceStrategy,
  "/nodes": nodeStrategy,
  "/persistentvolumeclaims": claimStrategy,
  "/persistentvolumes": volumeStrategy,
  "/pods": podStrategy,
  "/secrets": secretStrategy,
  "/serviceaccounts": { answersDeleted: true },
  "/services": serviceStrategy,
  "admissionregistration.k8s.io/mutatingadmissionpolicies": mutatingPolicyStrategy,
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings": mutatingPolicyBindingStrategy,
  "admissionregistration.k8s.io/validatingadmissionpolicies": validatingPolicyStrategy,
  "admissionregistration.k8s.io/validatingadmissionpolicybindings": validatingPolicyBindingStrategy,
  "apiextensions.k8s.io/customresourcedefinitions": definitionStrategy,
  "apps/daemonsets": daemonSetStrategy,
  "apps/deployments": unattendedStrategy,
  "apps/replicasets": unattendedStrategy,
  "apps/statefulsets": statefulSetStrategy,
  "coordination.k8s.io/leases": { createOnUpdate: true, versionRequired: true },
  "events.k8s.io/events": groupedEventStrategy,
  "networking.k8s.io/networkpolicies": { generation: true },
  "rbac.authorization.k8s.io/clusterrolebindings": roleBindingStrategy,
  "rbac.authorization.k8s.io/clusterroles": roleStrategy,
  "rbac.authorization.k8s.io/rolebindings": roleBindingStrategy,
  "rbac.authorization.k8s.io/roles": roleStrategy,
  "storage.k8s.io/storageclasses": storageClassStrategy,
  "storage.k8s.io/volumeattachments": attachmentStrategy,
};

const ordinary: Strategy = {};

/** What the registry does differently for a resource. */
export function strategyOf(resource: Resource): Strategy {
  if (resource.custom) return customStrategy(resource);
  return builtin[`${groupOf(resource)}/${resource.plural}`] ?? ordinary;
}

/** Custom resources: what their CustomResourceDefinition says, and no unconditional updates. */
const customStrategy = remember((resource: Resource): Strategy => {
  const schema = resource.custom?.schema ?? {};
  return {
    generation: true,
    versionRequired: true,
    defaults: (object) => become(object, defaultCustom(schema, object) as KubernetesObject),
    validate: (object, live) => validateCustom(schema, object, live),
  };
});

function become(object: KubernetesObject, other: KubernetesObject): void {
  if (object === other) return;
  for (const field of Object.keys(object)) if (!Object.hasOwn(other, field)) delete object[field];
  Object.assign(object, other);
}
