import { type Fields, fieldOf, isFields } from "../../../shared/kubernetes/fields.ts";
import { type TypedKind, typeOf } from "../schema/type.ts";

const podTemplate: Fields = { metadata: {}, spec: { containers: null } };

/**
 * Members that an object of a built-in kind always has in the API server's memory, beside `metadata`, `spec` and
 * `status`: structs that Go embeds by value. A manager that sets something in them does not own them for themselves.
 */
const blanks: Readonly<Record<string, Fields>> = {
  CustomResourceDefinition: { spec: { names: {} }, status: { acceptedNames: {} } },
  DaemonSet: { spec: { template: podTemplate, updateStrategy: {} } },
  Deployment: { spec: { template: podTemplate, strategy: {} } },
  Event: {
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
    deprecatedSource: {},
    eventTime: null,
    firstTimestamp: null,
    lastTimestamp: null,
    source: {},
  },
  Node: { status: { daemonEndpoints: { kubeletEndpoint: {} }, nodeInfo: {} } },
  PersistentVolumeClaim: { spec: { resources: {} } },
  Pod: { spec: { containers: null } },
  ReplicaSet: { spec: { template: podTemplate } },
  Service: { status: { loadBalancer: {} } },
  StatefulSet: { spec: { template: podTemplate, updateStrategy: {} } },
  VolumeAttachment: { spec: { source: {} } },
};

/** Fills in what an object of the kind always has; the object is not touched. */
export function withBlanks(kind: TypedKind, object: Fields): Fields {
  if (kind.custom) return object;
  const members = typeOf(kind)?.properties ?? {};
  const header = ["metadata", "spec", "status"].filter((name) => Object.hasOwn(members, name));
  return fill(fill(object, Object.fromEntries(header.map((name) => [name, {}]))), blanks[kind.kind] ?? {});
}

function fill(object: Fields, blank: Fields): Fields {
  const filled = { ...object };
  for (const [name, value] of Object.entries(blank)) {
    const present = fieldOf(object, name);
    if (present === undefined) filled[name] = value;
    else if (isFields(present) && isFields(value)) filled[name] = fill(present, value);
  }
  return filled;
}
