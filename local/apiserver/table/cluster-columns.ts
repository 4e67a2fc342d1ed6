import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { fieldsAt, objectsIn, specOf, statusOf } from "../kinds/fields.ts";
import { ageOf } from "./age.ts";
import { column, count, nameColumn, orNone, type Printer, text, wide } from "./printer.ts";

/** Nodes. */
export const nodePrinter: Printer = {
  columns: [
    nameColumn,
    column("Status"),
    column("Roles"),
    column("Age"),
    column("Version"),
    wide("Internal-IP"),
    wide("External-IP"),
    wide("OS-Image"),
    wide("Kernel-Version"),
    wide("Container-Runtime"),
  ],
  cells(node, now) {
    const [status, metadata] = [statusOf(node), fieldsAt(node, "metadata")];
    const info = fieldsAt(status, "nodeInfo");
    const address = (type: string) =>
      orNone(objectsIn(status, "addresses").find((each) => each.type === type)?.address);
    const architecture = info.architecture ? ` (${info.architecture})` : "";
    return [
      metadata.name,
      nodeStatus(node),
      roles(fieldsAt(metadata, "labels")),
      ageOf(metadata.creationTimestamp, now),
      text(info.kubeletVersion),
      address("InternalIP"),
      address("ExternalIP"),
      orUnknown(info.osImage),
      info.kernelVersion ? `${info.kernelVersion}${architecture}` : "<unknown>",
      orUnknown(info.containerRuntimeVersion),
    ];
  },
};

const orUnknown = (value: unknown) => text(value) || "<unknown>";

function nodeStatus(node: Fields): string {
  const ready = objectsIn(statusOf(node), "conditions").find(({ type }) => type === "Ready");
  const state = ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown";
  return specOf(node).unschedulable === true ? `${state},SchedulingDisabled` : state;
}

function roles(labels: Fields): string {
  const prefix = "node-role.kubernetes.io/";
  const found = new Set<string>();
  for (const [key, value] of Object.entries(labels)) {
    if (key.startsWith(prefix) && key.length > prefix.length) found.add(key.slice(prefix.length));
    else if (key === "kubernetes.io/role" && value) found.add(text(value));
  }
  return orNone([...found].sort().join(","));
}

/** Namespaces. */
export const namespacePrinter: Printer = {
  columns: [nameColumn, column("Status"), column("Age")],
  cells(namespace, now) {
    const metadata = fieldsAt(namespace, "metadata");
    return [metadata.name, text(statusOf(namespace).phase), ageOf(metadata.creationTimestamp, now)];
  },
};

/** Events of both API groups: they name the same things differently. */
export const eventPrinter: Printer = {
  columns: [
    column("Last Seen"),
    column("Type"),
    column("Reason"),
    column("Object"),
    wide("Subobject"),
    wide("Source"),
    column("Message"),
    wide("First Seen"),
    wide("Count"),
    { ...wide("Name"), format: "name" },
  ],
  cells(event, now) {
    const about = fieldsAt(event, event.involvedObject ? "involvedObject" : "regarding");
    const { lastObservedTime, count: seriesCount } = fieldsAt(event, "series");
    const first = event.firstTimestamp ?? event.deprecatedFirstTimestamp ?? event.eventTime;
    const last = lastObservedTime ?? event.lastTimestamp ?? event.deprecatedLastTimestamp ?? first;
    const times = seriesCount ?? event.count ?? event.deprecatedCount;
    const kind = text(about.kind).toLowerCase();
    return [
      ageOf(last, now),
      text(event.type),
      text(event.reason),
      about.name ? `${kind}/${about.name}` : kind,
      text(about.fieldPath),
      eventSource(event),
      text(event.message ?? event.note).trim(),
      ageOf(first, now),
      count(times) || 1,
      fieldsAt(event, "metadata").name,
    ];
  },
};

function eventSource(event: Fields): string {
  const source = fieldsAt(event, event.source ? "source" : "deprecatedSource");
  const component = text(source.component) || text(event.reportingComponent ?? event.reportingController);
  const host = text(source.host) || text(event.reportingInstance);
  return host ? `${component}, ${host}` : component;
}

/** Leases. */
export const leasePrinter: Printer = {
  columns: [nameColumn, column("Holder"), column("Age")],
  cells(lease, now) {
    const metadata = fieldsAt(lease, "metadata");
    return [metadata.name, text(specOf(lease).holderIdentity), ageOf(metadata.creationTimestamp, now)];
  },
};
