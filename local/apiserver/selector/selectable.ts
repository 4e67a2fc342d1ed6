import { groupOf } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Resource } from "../resource.ts";

type Reader = (object: KubernetesObject) => string;

/** The fields by which objects of one resource can be selected. */
export interface SelectableFields {
  get(field: string): Reader | undefined;
  /** How the API server refuses a field that it does not index. */
  complaint(field: string): string;
}

/** Reads `spec.nodeName` and the like; absent is empty. */
function reader(path: string, absent = ""): Reader {
  const steps = path.split(".");
  return (object) => {
    let value: unknown = object;
    for (const step of steps) value = (value as Record<string, unknown> | undefined)?.[step];
    return value === undefined || value === null ? absent : String(value);
  };
}

const paths = (...fields: string[]) => new Map(fields.map((field) => [field, reader(field)]));
const referenceParts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
const metadata = ["metadata.name", "metadata.namespace"];
const common = paths(...metadata);

// Stored events have the shape of core/v1; the group events.k8s.io calls the same fields by other names.
const coreEvent = new Map([
  ...paths(...metadata, "reason", "reportingComponent", "source", "type"),
  ...referenceParts.map((part): [string, Reader] => [`involvedObject.${part}`, reader(`involvedObject.${part}`)]),
  [
    "source",
    ({ source, reportingComponent }: KubernetesObject) =>
      String((source as Record<string, unknown> | undefined)?.component || reportingComponent || ""),
  ],
]);
const groupedEvent = new Map([
  ...paths(...metadata, "reason", "type"),
  ...referenceParts.map((part): [string, Reader] => [`regarding.${part}`, reader(`involvedObject.${part}`)]),
  ["reportingController", reader("reportingComponent")],
]);

const byKind: Readonly<Record<string, Map<string, Reader>>> = {
  "/Pod": new Map([
    ...paths(
      ...metadata,
      "spec.nodeName",
      "spec.restartPolicy",
      "spec.schedulerName",
      "spec.serviceAccountName",
      "status.phase",
      "status.podIP",
      "status.podIPs",
      "status.nominatedNodeName",
    ),
    ["spec.hostNetwork", reader("spec.hostNetwork", "false")],
  ]),
  "/Event": coreEvent,
  "events.k8s.io/Event": groupedEvent,
  "/Node": new Map([...paths("metadata.name"), ["spec.unschedulable", reader("spec.unschedulable", "false")]]),
  "/Namespace": new Map([...paths("metadata.name", "status.phase"), ["name", reader("metadata.name")]]),
  "/Secret": paths(...metadata, "type"),
  "/Service": paths(...metadata, "spec.clusterIP", "spec.type"),
};

/** The fields of a resource; all have their name and namespace, a few built-in kinds have more. */
export function selectableFields(resource: Resource): SelectableFields {
  const own = resource.custom ? common : byKind[`${groupOf(resource)}/${resource.kind}`];
  if (own) return { get: (field) => own.get(field), complaint: (field) => `field label not supported: ${field}` };
  return {
    get: (field) => common.get(field),
    complaint: (field) => `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  };
}
