import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { groupOf } from "../../../shared/kubernetes/kind.ts";
import type { Resource } from "../resource.ts";
import { eventPrinter, leasePrinter, namespacePrinter, nodePrinter } from "./cluster-columns.ts";
import {
  agePrinter,
  bindingPrinter,
  configMapPrinter,
  plainPrinter,
  policyBindingPrinter,
  policyPrinter,
  secretPrinter,
  servicePrinter,
  validatingPolicyPrinter,
} from "./configuration-columns.ts";
import { customPrinter } from "./custom-columns.ts";
import { podPrinter } from "./pod-columns.ts";
import type { Printer } from "./printer.ts";
import { attachmentPrinter, claimPrinter, storageClassPrinter, volumePrinter } from "./storage-columns.ts";
import {
  daemonSetPrinter,
  deploymentPrinter,
  replicaSetPrinter,
  revisionPrinter,
  statefulSetPrinter,
} from "./workload-columns.ts";

/** What a row carries beside its cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

/**
 * Shows one object, or a list, as the `Table` that kubectl prints: the columns of the API server, for custom resources
 * those of their definition. `now`, in milliseconds since the epoch, is what ages are counted from.
 */
export function toTable(
  resource: Resource,
  objectOrList: Fields,
  now: number,
  includeObject: IncludeObject = "Metadata",
): Fields {
  const printer = printerOf(resource);
  const isList = Array.isArray(objectOrList.items) && String(objectOrList.kind).endsWith("List");
  const objects: unknown[] = isList ? (objectOrList.items as unknown[]) : [objectOrList];
  const metadata = isFields(objectOrList.metadata) ? objectOrList.metadata : {};
  const { resourceVersion, continue: token, remainingItemCount } = metadata;
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: defined({ resourceVersion, continue: token || undefined, remainingItemCount }),
    columnDefinitions: printer.columns,
    rows: objects.filter(isFields).map((object) => ({
      cells: printer.cells(object, now),
      object: carried(resource, object, includeObject),
    })),
  };
}

const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function carried(resource: Resource, object: Fields, includeObject: IncludeObject): Fields | null {
  if (includeObject === "None") return null;
  if (includeObject === "Object") return { kind: resource.kind, apiVersion: resource.apiVersion, ...object };
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata };
}

function printerOf(resource: Resource): Printer {
  if (resource.custom) return customPrinter(resource.custom.printerColumns);
  const group = groupOf(resource);
  return printers[group ? `${resource.kind}.${group}` : resource.kind] ?? plainPrinter;
}

const printers: Readonly<Record<string, Printer>> = {
  ConfigMap: configMapPrinter,
  Event: eventPrinter,
  Namespace: namespacePrinter,
  Node: nodePrinter,
  PersistentVolume: volumePrinter,
  PersistentVolumeClaim: claimPrinter,
  Pod: podPrinter,
  Secret: secretPrinter,
  Service: servicePrinter,
  ServiceAccount: agePrinter,
  "ClusterRoleBinding.rbac.authorization.k8s.io": bindingPrinter,
  "ControllerRevision.apps": revisionPrinter,
  "DaemonSet.apps": daemonSetPrinter,
  "Deployment.apps": deploymentPrinter,
  "Event.events.k8s.io": eventPrinter,
  "Lease.coordination.k8s.io": leasePrinter,
  "MutatingAdmissionPolicy.admissionregistration.k8s.io": policyPrinter,
  "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io": policyBindingPrinter,
  "ReplicaSet.apps": replicaSetPrinter,
  "RoleBinding.rbac.authorization.k8s.io": bindingPrinter,
  "StatefulSet.apps": statefulSetPrinter,
  "StorageClass.storage.k8s.io": storageClassPrinter,
  "ValidatingAdmissionPolicy.admissionregistration.k8s.io": validatingPolicyPrinter,
  "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io": policyBindingPrinter,
  "VolumeAttachment.storage.k8s.io": attachmentPrinter,
};
