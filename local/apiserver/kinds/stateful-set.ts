import { isDeepStrictEqual } from "node:util";
import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { labelProblems } from "../validation/names.ts";
import {
  type Cause,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../validation/status-cause.ts";
import { normalizeMetadata } from "../write/normalize-metadata.ts";
import { checkClaimSpec } from "./claim.ts";
import { fieldsAt, objectIn, objectsIn, setMissing, specOf, statusOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";
import { checkCommon, defaultTemplate } from "./workload.ts";

/** StatefulSets. */
export const statefulSetStrategy: Strategy = {
  generation: true,
  nameRule: labelProblems,
  defaults(set) {
    const spec = objectIn(set, "spec");
    setMissing(spec, { podManagementPolicy: "OrderedReady", replicas: 1, revisionHistoryLimit: 10 });
    setMissing(objectIn(spec, "persistentVolumeClaimRetentionPolicy"), { whenDeleted: "Retain", whenScaled: "Retain" });
    defaultUpdateStrategy(objectIn(spec, "updateStrategy"));
    for (const template of objectsIn(spec, "volumeClaimTemplates")) {
      normalizeMetadata(objectIn(template, "metadata"));
      setMissing(template, { apiVersion: "v1", kind: "PersistentVolumeClaim", status: { phase: "Pending" } });
      setMissing(objectIn(template, "spec"), { volumeMode: "Filesystem" });
    }
    defaultTemplate(spec);
    setMissing(objectIn(set, "status"), { replicas: 0, availableReplicas: 0 });
  },
  validate(set, live) {
    const spec = specOf(set);
    return [
      ...checkPodManagement(spec),
      ...checkUpdateStrategy(fieldsAt(spec, "updateStrategy")),
      ...checkRetention(spec),
      ...(live ? [] : checkClaimTemplates(spec)),
      ...checkNumbers(spec),
      ...(live ? [] : checkServiceName(spec)),
      // Its selector is frozen like most of its spec, and needs no rule of its own.
      ...checkCommon(set),
      ...checkStatus(statusOf(set), statusOf(live ?? {})),
      ...(live ? checkFrozen(spec, specOf(live)) : []),
    ];
  },
};

/** ControllerRevisions: what they remember never changes. */
export const controllerRevisionStrategy: Strategy = {
  validate({ data, revision }, live) {
    const causes: Cause[] = [];
    if (Number(revision) < 0) causes.push(invalidValue("revision", revision, notNegative));
    if (live && !isDeepStrictEqual(data, live.data)) causes.push(invalidValue("data", data, "field is immutable"));
    if (!live && data === undefined) causes.push(requiredValue("data", "data is mandatory"));
    if (!live && data !== undefined && !isFields(data)) {
      causes.push(requiredValue("data", "data must be a valid JSON object"));
    }
    return causes;
  },
};

const notNegative = "must be greater than or equal to 0";

function defaultUpdateStrategy(strategy: Fields): void {
  if (strategy.type === undefined) {
    strategy.type = "RollingUpdate";
    objectIn(strategy, "rollingUpdate");
  }
  const { type, rollingUpdate } = strategy;
  if (!isFields(rollingUpdate)) return;
  if (type === "RollingUpdate") setMissing(rollingUpdate, { partition: 0 });
  // The feature gate MaxUnavailableStatefulSet is off by default, and the field is dropped without a word.
  delete rollingUpdate.maxUnavailable;
}

function checkPodManagement({ podManagementPolicy: policy }: Fields): Cause[] {
  if (policy === "OrderedReady" || policy === "Parallel") return [];
  return [invalidValue("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")];
}

function checkUpdateStrategy(strategy: Fields): Cause[] {
  const path = "spec.updateStrategy";
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") {
    if (rollingUpdate === undefined) return [];
    return [invalidValue(`${path}.rollingUpdate`, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")];
  }
  if (type !== "RollingUpdate") return [invalidValue(path, strategy, "must be 'RollingUpdate' or 'OnDelete'")];
  const { partition } = fieldsAt(strategy, "rollingUpdate");
  return Number(partition) < 0 ? [invalidValue(`${path}.rollingUpdate.partition`, partition, notNegative)] : [];
}

/** Absent, with its defaults, only on a server that does not know it. */
function checkRetention(spec: Fields): Cause[] {
  const policy = spec.persistentVolumeClaimRetentionPolicy;
  if (!isFields(policy)) return [];
  return ["whenDeleted", "whenScaled"]
    .filter((when) => policy[when] !== "Retain" && policy[when] !== "Delete")
    .map((when) => {
      const field = `spec.persistentVolumeClaimRetentionPolicy.${when}`;
      return unsupportedValue(field, policy[when], ["Retain", "Delete"]);
    });
}

function checkClaimTemplates(spec: Fields): Cause[] {
  return objectsIn(spec, "volumeClaimTemplates").flatMap((template, index) =>
    checkClaimSpec(specOf(template), `spec.volumeClaimTemplates[${index}].spec`),
  );
}

function checkNumbers(spec: Fields): Cause[] {
  const numbers = [
    ["minReadySeconds", spec.minReadySeconds],
    ["ordinals.start", fieldsAt(spec, "ordinals").start],
  ] as const;
  return numbers
    .filter(([, value]) => Number(value) < 0)
    .map(([field, value]) => invalidValue(`spec.${field}`, value, notNegative));
}

function checkServiceName({ serviceName }: Fields): Cause[] {
  if (typeof serviceName !== "string" || serviceName === "") return [];
  return labelProblems(serviceName).map((problem) => invalidValue("spec.serviceName", serviceName, problem));
}

function checkStatus(status: Fields, live: Fields): Cause[] {
  const count = (field: string) => Number(status[field] ?? 0);
  const bounds = [
    ["readyReplicas", "replicas"],
    ["currentReplicas", "replicas"],
    ["updatedReplicas", "replicas"],
    ["availableReplicas", "replicas"],
    ["availableReplicas", "readyReplicas"],
  ] as const;
  const causes = bounds
    .filter(([field, bound]) => count(field) > count(bound))
    .map(([field, bound]) => invalidValue(`status.${field}`, count(field), `cannot be greater than status.${bound}`));
  if (count("collisionCount") < Number(live.collisionCount ?? 0)) {
    causes.push(invalidValue("status.collisionCount", count("collisionCount"), "cannot be decremented"));
  }
  return causes;
}

const mutable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

function checkFrozen(next: Fields, live: Fields): Cause[] {
  const frozen = (spec: Fields) => Object.fromEntries(Object.entries(spec).filter(([name]) => !mutable.includes(name)));
  if (isDeepStrictEqual(frozen(next), frozen(live))) return [];
  const names = mutable.map((name) => `'${name}'`);
  const list = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return [forbiddenValue("spec", `updates to statefulset spec for fields other than ${list} are forbidden`)];
}
