import { isDeepStrictEqual } from "node:util";
import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { type LabelSelector, type Labels, matchesLabelSelector } from "../../../shared/kubernetes/label-selector.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { type Cause, invalidValue, requiredValue, unsupportedValue } from "../validation/status-cause.ts";
import { normalizeMetadata } from "../write/normalize-metadata.ts";
import { fieldsAt, objectIn, objectsIn, setMissing, specOf } from "./fields.ts";
import { defaultPodSpec } from "./pod-spec.ts";
import type { Strategy } from "./strategy.ts";

/** Deployments and ReplicaSets: kept and shown, for no controller makes pods of them. */
export const unattendedStrategy: Strategy = {
  generation: true,
  defaults(object) {
    const spec = objectIn(object, "spec");
    setMissing(spec, { replicas: 1 });
    defaultTemplate(spec);
    objectIn(object, "status");
  },
  validate: checkCommon,
};

/** DaemonSets. */
export const daemonSetStrategy: Strategy = {
  generation: true,
  defaults(set) {
    const spec = objectIn(set, "spec");
    setMissing(spec, { revisionHistoryLimit: 10 });
    const strategy = objectIn(spec, "updateStrategy");
    setMissing(strategy, { type: "RollingUpdate" });
    if (strategy.type === "RollingUpdate") {
      setMissing(objectIn(strategy, "rollingUpdate"), { maxSurge: 0, maxUnavailable: 1 });
    }
    defaultTemplate(spec);
    const counts = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
    setMissing(objectIn(set, "status"), counts);
  },
  validate: checkCommon,
};

/** Fills in what the API defaults in the pod template of a workload. */
export function defaultTemplate(spec: Fields): void {
  const template = objectIn(spec, "template");
  normalizeMetadata(objectIn(template, "metadata"));
  defaultPodSpec(objectIn(template, "spec"));
}

/** What is wrong with the spec of any workload, or with the change from `live`. */
export function checkCommon(object: KubernetesObject, live?: KubernetesObject): Cause[] {
  const spec = specOf(object);
  const { replicas } = spec;
  const causes: Cause[] = [];
  if (typeof replicas === "number" && replicas < 0) {
    causes.push(invalidValue("spec.replicas", replicas, "must be greater than or equal to 0"));
  }
  causes.push(...checkTemplate(spec));
  if (live && !isDeepStrictEqual(spec.selector, specOf(live).selector)) {
    causes.push(invalidValue("spec.selector", spec.selector, "field is immutable"));
  }
  return causes;
}

function checkTemplate(spec: Fields): Cause[] {
  const { labels = null } = fieldsAt(spec, "template", "metadata");
  const causes: Cause[] = [];
  if (!isFields(spec.selector)) causes.push(requiredValue("spec.selector"));
  const selector = isFields(spec.selector) ? spec.selector : {};
  const selects =
    Object.keys(selector).length > 0 && matchesLabelSelector(selector as LabelSelector, (labels ?? {}) as Labels);
  if (!selects) {
    causes.push(invalidValue("spec.template.metadata.labels", labels, "`selector` does not match template `labels`"));
  }
  const podSpec = fieldsAt(spec, "template", "spec");
  if (objectsIn(podSpec, "containers").length === 0) causes.push(requiredValue("spec.template.spec.containers"));
  if (podSpec.restartPolicy !== "Always") {
    causes.push(unsupportedValue("spec.template.spec.restartPolicy", podSpec.restartPolicy, ["Always"]));
  }
  return causes;
}
