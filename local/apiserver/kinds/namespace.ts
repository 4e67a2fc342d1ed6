import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { labelProblems } from "../validation/names.ts";
import { objectIn, specOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/**
 * Namespaces: held by `spec.finalizers`, which only the subresource `finalize` changes, until their content is gone.
 */
export const namespaceStrategy: Strategy = {
  nameRule: labelProblems,
  answersDeleted: true,

  prepareCreate(namespace) {
    label(namespace);
    const { finalizers } = specOf(namespace);
    const own = Array.isArray(finalizers) ? finalizers : [];
    objectIn(namespace, "spec").finalizers = own.includes("kubernetes") ? own : [...own, "kubernetes"];
    namespace.status = { phase: "Active" };
  },

  prepareUpdate(next, live) {
    label(next);
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

/** Selectors find a namespace by a label with its name, which no user can remove. In place. */
function label({ metadata }: KubernetesObject): void {
  metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
}
