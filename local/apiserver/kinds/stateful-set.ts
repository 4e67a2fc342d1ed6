import { isDeepStrictEqual } from "node:util";
import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { labelProblems } from "../validation/names.ts";
import { type Cause, forbiddenValue, unsupportedValue } from "../validation/status-cause.ts";
import { normalizeMetadata } from "../write/normalize-metadata.ts";
import { checkClaimSpec } from "./claim.ts";
import { objectIn, objectsIn, setMissing, specOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";
import { checkCommon, defaultTemplate } from "./workload.ts";

/** StatefulSets: of what a set may not say only what concerns its claims and pods is refused. */
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
      ...checkRetention(spec),
      ...(live ? [] : checkClaimTemplates(spec)),
      // Its selector is frozen like most of its spec, and needs no rule of its own.
      ...checkCommon(set),
      ...(live ? checkFrozen(spec, specOf(live)) : []),
    ];
  },
};

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
