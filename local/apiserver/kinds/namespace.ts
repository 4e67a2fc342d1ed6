import { labelProblems } from "../validation/names.ts";
import { objectIn, specOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** Namespaces: held by `spec.finalizers`, which only the subresource `finalize` changes, until their content is gone. */
export const namespaceStrategy: Strategy = {
  nameRule: labelProblems,
  answersDeleted: true,

  defaults(namespace) {
    const labels = objectIn(namespace.metadata, "labels");
    labels["kubernetes.io/metadata.name"] = namespace.metadata.name;
  },

  prepareCreate(namespace) {
    const { finalizers } = specOf(namespace);
    const own = Array.isArray(finalizers) ? finalizers : [];
    objectIn(namespace, "spec").finalizers = own.includes("kubernetes") ? own : [...own, "kubernetes"];
    namespace.status = { phase: "Active" };
  },

  prepareUpdate(next, live) {
    next.spec = live.spec;
  },

  prepareStatus(next, live) {
    objectIn(next, "status").phase = live.metadata.deletionTimestamp ? "Terminating" : "Active";
  },

  markDeleting(namespace, now) {
    namespace.metadata.deletionTimestamp ??= now;
    objectIn(namespace, "status").phase = "Terminating";
  },

  held: (namespace) => {
    const { finalizers } = specOf(namespace);
    return Array.isArray(finalizers) && finalizers.length > 0;
  },
};
