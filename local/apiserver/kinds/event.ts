import { isDeepStrictEqual } from "node:util";
import type { Fields } from "../../../shared/kubernetes/fields.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { qualifiedNameProblems } from "../validation/names.ts";
import { type Cause, invalidValue, requiredValue } from "../validation/status-cause.ts";
import { fieldsAt, setMissing } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

// Events are served in two groups and kept once, in the shape of core/v1. What they call differently:
const names: Readonly<Record<string, string>> = {
  involvedObject: "regarding",
  message: "note",
  source: "deprecatedSource",
  firstTimestamp: "deprecatedFirstTimestamp",
  lastTimestamp: "deprecatedLastTimestamp",
  count: "deprecatedCount",
  reportingComponent: "reportingController",
};
const coreNames = Object.fromEntries(Object.entries(names).map(([core, grouped]) => [grouped, core]));

const renamed = (object: Fields, table: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [table[name] ?? name, value]));

/** An event of core/v1 as events.k8s.io/v1 shows it. */
export function toGroupedEvent(event: KubernetesObject): KubernetesObject {
  const grouped = renamed(event, names) as KubernetesObject;
  for (const field of ["reportingController", "reportingInstance"]) if (grouped[field] === "") delete grouped[field];
  return { ...grouped, apiVersion: "events.k8s.io/v1" };
}

/** An event of events.k8s.io/v1 as core/v1 keeps it. */
export const toCoreEvent = (event: KubernetesObject): KubernetesObject => ({
  ...(renamed(event, coreNames) as KubernetesObject),
  apiVersion: "v1",
});

const common: Strategy = {
  createOnUpdate: true,
  collected: false,
  defaults: (event) =>
    setMissing(event, {
      eventTime: null,
      firstTimestamp: null,
      lastTimestamp: null,
      reportingComponent: "",
      reportingInstance: "",
      source: {},
    }),
};

/** Events through core/v1: without `eventTime` they are of the old kind, of which next to nothing is asked. */
export const coreEventStrategy: Strategy = {
  ...common,
  validate: (event) => (event.eventTime === null ? checkNamespace(event, true) : check(event, "reportingComponent")),
};

/** Events through events.k8s.io/v1: complete, and immutable but for their series. */
export const groupedEventStrategy: Strategy = {
  ...common,
  validate(event, live) {
    if (live) return checkChange(event, live);
    return event.eventTime === null
      ? [requiredValue("eventTime")]
      : [...check(event, "reportingController"), ...checkType(event)];
  },
};

function check(event: KubernetesObject, controller: string): Cause[] {
  const causes = checkNamespace(event, false);
  const reporter = String(event.reportingComponent ?? "");
  if (!reporter) causes.push(requiredValue(controller));
  causes.push(...qualifiedNameProblems(reporter).map((why) => invalidValue(controller, reporter, why)));
  for (const [field, limit] of [
    ["reportingInstance", 128],
    ["action", 128],
    ["reason", 128],
    ["message", 1024],
  ] as const) {
    const text = String(event[field] ?? "");
    if (!text && field !== "message") causes.push(requiredValue(field));
    if (Buffer.byteLength(text) > limit) {
      causes.push(invalidValue(field, "", `can have at most ${limit} characters`));
    }
  }
  return causes;
}

const checkType = ({ type }: KubernetesObject): Cause[] =>
  type === "Normal" || type === "Warning" ? [] : [invalidValue("type", "", `has invalid value: ${type ?? ""}`)];

/** An event about a namespaced object stands beside it; one about anything else in `default` or `kube-system`. */
function checkNamespace(event: KubernetesObject, legacy: boolean): Cause[] {
  const namespace = String(fieldsAt(event, "involvedObject").namespace ?? "");
  const own = event.metadata.namespace ?? "";
  const fits = namespace === "" ? own === "default" || own === "kube-system" : !legacy || namespace === own;
  return fits ? [] : [invalidValue("involvedObject.namespace", namespace, "does not match event.namespace")];
}

function checkChange(next: KubernetesObject, live: KubernetesObject): Cause[] {
  const ignored = new Set(["apiVersion", "kind", "metadata", "series"]);
  return Object.keys({ ...live, ...next })
    .filter((field) => !ignored.has(field) && !isDeepStrictEqual(next[field], live[field]))
    .map((field) => invalidValue(field, next[field] ?? null, "field is immutable"));
}
