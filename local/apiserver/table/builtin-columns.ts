import type { Column } from "../../../shared/kubernetes/custom-kind.ts";
import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { fieldsAt, objectsIn, specOf, statusOf } from "../kinds/fields.ts";
import type { ComputedColumn } from "./printer-of.ts";

type Found = string | ((object: Fields) => unknown);

const typed = (type: Column["type"], name: string, found: Found, priority = 0): Column | ComputedColumn =>
  typeof found === "string" ? { name, type, jsonPath: found, priority } : { name, type, cell: found, priority };
const column = (name: string, found: Found) => typed("string", name, found);
const wide = (name: string, found: Found) => typed("string", name, found, 1);
const date = (name: string, found: Found) => typed("date", name, found);
const age = date("Age", ".metadata.creationTimestamp");

/** The phase; kubectl users know an object that is being deleted as Terminating, in any phase. */
const phase = (object: Fields) =>
  fieldsAt(object, "metadata").deletionTimestamp ? "Terminating" : (statusOf(object).phase ?? "");

/** What a pod waits for or ended with; no containers run here, so what is said of init containers is left out. */
function podStatus(pod: Fields): unknown {
  const status = statusOf(pod);
  const states = objectsIn(status, "containerStatuses").map((container) => fieldsAt(container, "state"));
  const reason = states
    .map(({ waiting, terminated }) => (isFields(waiting) ? waiting : isFields(terminated) ? terminated : {}).reason)
    .find(Boolean);
  const isOver = status.phase === "Succeeded" || status.phase === "Failed";
  return isOver ? (status.reason ?? reason ?? status.phase) : (status.reason ?? reason ?? phase(pod));
}

function readyContainers(pod: Fields): string {
  const ready = objectsIn(statusOf(pod), "containerStatuses").filter((container) => container.ready === true);
  return `${ready.length}/${objectsIn(specOf(pod), "containers").length}`;
}

const restarts = (pod: Fields) =>
  objectsIn(statusOf(pod), "containerStatuses").reduce((sum, { restartCount }) => sum + Number(restartCount ?? 0), 0);

const short: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};
const accessModes = ({ accessModes }: Fields) =>
  Array.isArray(accessModes) ? accessModes.map((mode) => short[String(mode)] ?? mode).join(",") : "";

function nodeStatus(node: Fields): string {
  const ready = objectsIn(statusOf(node), "conditions").find(({ type }) => type === "Ready");
  const state = ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown";
  return specOf(node).unschedulable === true ? `${state},SchedulingDisabled` : state;
}

function claimOf(volume: Fields): string {
  const { namespace, name } = fieldsAt(specOf(volume), "claimRef");
  return name ? `${namespace}/${name}` : "";
}

const isDefaultClass = (storageClass: Fields) =>
  fieldsAt(storageClass, "metadata", "annotations")["storageclass.kubernetes.io/is-default-class"] === "true";

function aboutWhom(event: Fields): string {
  const { kind, name } = fieldsAt(event, event.involvedObject ? "involvedObject" : "regarding");
  return `${String(kind).toLowerCase()}/${name}`;
}

const events = [
  date("Last Seen", (event) => {
    const { lastObservedTime } = fieldsAt(event, "series");
    return lastObservedTime ?? event.lastTimestamp ?? event.deprecatedLastTimestamp ?? event.eventTime;
  }),
  column("Type", ".type"),
  column("Reason", ".reason"),
  column("Object", aboutWhom),
  column("Message", (event) => String(event.message ?? event.note ?? "").trim()),
];

/**
 * What `kubectl get` shows of built-in kinds beside their name, under the names of the API server; of other kinds it
 * shows their age.
 */
export const builtinColumns: Readonly<Record<string, readonly (Column | ComputedColumn)[]>> = {
  ConfigMap: [column("Data", ({ data }) => Object.keys(isFields(data) ? data : {}).length), age],
  Event: events,
  Lease: [column("Holder", ".spec.holderIdentity"), age],
  Namespace: [column("Status", ".status.phase"), age],
  Node: [column("Status", nodeStatus), age, wide("Boot-ID", ".status.nodeInfo.bootID")],
  PersistentVolume: [
    column("Capacity", ".spec.capacity.storage"),
    column("Access Modes", (volume) => accessModes(specOf(volume))),
    column("Reclaim Policy", ".spec.persistentVolumeReclaimPolicy"),
    column("Status", phase),
    column("Claim", claimOf),
    column("StorageClass", ".spec.storageClassName"),
    age,
  ],
  PersistentVolumeClaim: [
    column("Status", phase),
    column("Volume", ".spec.volumeName"),
    column("Capacity", ".status.capacity.storage"),
    column("Access Modes", (claim) => accessModes(statusOf(claim))),
    column("StorageClass", ".spec.storageClassName"),
    age,
  ],
  Pod: [
    column("Ready", readyContainers),
    column("Status", podStatus),
    typed("integer", "Restarts", restarts),
    age,
    wide("Node", ".spec.nodeName"),
  ],
  Secret: [column("Type", ".type"), age],
  StatefulSet: [column("Ready", (set) => `${statusOf(set).readyReplicas ?? 0}/${specOf(set).replicas ?? 0}`), age],
  StorageClass: [
    column("Provisioner", ".provisioner"),
    column("ReclaimPolicy", ".reclaimPolicy"),
    column("VolumeBindingMode", ".volumeBindingMode"),
    typed("boolean", "Default", isDefaultClass),
    age,
  ],
  VolumeAttachment: [
    column("Attacher", ".spec.attacher"),
    column("PV", ".spec.source.persistentVolumeName"),
    column("Node", ".spec.nodeName"),
    column("Attached", ".status.attached"),
    age,
  ],
};
