import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { fieldsAt, objectsIn, specOf, statusOf } from "../kinds/fields.ts";
import { ageOf } from "./age.ts";
import { column, count, nameColumn, orNone, type Printer, text, wide } from "./printer.ts";

/** Pods: the status column sums up containers, conditions and deletion. */
export const podPrinter: Printer = {
  columns: [
    nameColumn,
    column("Ready"),
    column("Status"),
    column("Restarts"),
    column("Age"),
    wide("IP"),
    wide("Node"),
    wide("Nominated Node"),
    wide("Readiness Gates"),
  ],
  cells(pod, now) {
    const [spec, status, metadata] = [specOf(pod), statusOf(pod), fieldsAt(pod, "metadata")];
    const { ready, restarts, restarted, reason } = summary(pod);
    const sidecars = objectsIn(spec, "initContainers").filter(isSidecar);
    const total = objectsIn(spec, "containers").length + sidecars.length;
    const ago = restarts > 0 && restarted ? ` (${ageOf(restarted, now)} ago)` : "";
    return [
      metadata.name,
      `${ready}/${total}`,
      reason,
      `${restarts}${ago}`,
      ageOf(metadata.creationTimestamp, now),
      orNone(objectsIn(status, "podIPs")[0]?.ip),
      orNone(spec.nodeName),
      orNone(status.nominatedNodeName),
      gates(spec, status),
    ];
  },
};

interface Summary {
  ready: number;
  restarts: number;
  /** When a container last ended to be started again. */
  restarted: string;
  reason: string;
}

const isSidecar = (container: Fields) => container.restartPolicy === "Always";

function summary(pod: Fields): Summary {
  const status = statusOf(pod);
  const conditions = objectsIn(status, "conditions");
  const gated = conditions.some(({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated");
  const start: Summary = {
    ready: 0,
    restarts: 0,
    restarted: "",
    reason: gated ? "SchedulingGated" : text(status.reason) || text(status.phase),
  };
  const { begun, initializing } = initialize(pod, start);
  const initialized = conditions.some(({ type, status }) => type === "Initialized" && status === "True");
  const result = !initializing || initialized ? run(status, begun) : begun;
  const { deletionTimestamp } = fieldsAt(pod, "metadata");
  if (!deletionTimestamp) return result;
  if (status.reason === "NodeLost") return { ...result, reason: "Unknown" };
  return status.phase === "Succeeded" || status.phase === "Failed" ? result : { ...result, reason: "Terminating" };
}

function initialize(pod: Fields, start: Summary): { begun: Summary; initializing: boolean } {
  const containers = objectsIn(specOf(pod), "initContainers");
  const sidecars = new Set(containers.filter(isSidecar).map(({ name }) => name));
  let all = start;
  let kept = start;
  for (const [index, container] of objectsIn(statusOf(pod), "initContainerStatuses").entries()) {
    const sidecar = sidecars.has(container.name);
    all = restart(all, container);
    if (sidecar) kept = restart(kept, container);
    const { terminated, waiting } = fieldsAt(container, "state");
    if (isFields(terminated) && count(terminated.exitCode) === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready === true) kept = { ...kept, ready: kept.ready + 1 };
      continue;
    }
    const why = isFields(waiting) ? text(waiting.reason) : "";
    const reason = isFields(terminated)
      ? ending(terminated)
      : why && why !== "PodInitializing"
        ? why
        : `${index}/${containers.length}`;
    return { begun: { ...all, ready: kept.ready, reason: `Init:${reason}` }, initializing: true };
  }
  return { begun: kept, initializing: false };
}

function run(status: Fields, begun: Summary): Summary {
  let result = begun;
  let running = false;
  for (const container of objectsIn(status, "containerStatuses").reverse()) {
    result = restart(result, container);
    const { terminated, waiting, running: runs } = fieldsAt(container, "state");
    if (isFields(waiting) && waiting.reason) result = { ...result, reason: text(waiting.reason) };
    else if (isFields(terminated)) result = { ...result, reason: ending(terminated) };
    else if (container.ready === true && runs) {
      running = true;
      result = { ...result, ready: result.ready + 1 };
    }
  }
  if (result.reason !== "Completed" || !running) return result;
  const ready = objectsIn(status, "conditions").some(({ type, status }) => type === "Ready" && status === "True");
  return { ...result, reason: ready ? "Running" : "NotReady" };
}

function ending({ reason, signal, exitCode }: Fields): string {
  return text(reason) || (count(signal) === 0 ? `ExitCode:${count(exitCode)}` : `Signal:${signal}`);
}

function restart(summary: Summary, container: Fields): Summary {
  const finished = text(fieldsAt(container, "lastState", "terminated").finishedAt);
  const [, restarted = ""] = [finished, summary.restarted].sort();
  return { ...summary, restarts: summary.restarts + count(container.restartCount), restarted };
}

function gates(spec: Fields, status: Fields): string {
  const wanted = objectsIn(spec, "readinessGates").map(({ conditionType }) => conditionType);
  if (wanted.length === 0) return "<none>";
  const met = objectsIn(status, "conditions").filter(({ type, status }) => wanted.includes(type) && status === "True");
  return `${met.length}/${wanted.length}`;
}
