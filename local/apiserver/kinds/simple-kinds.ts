import { isDeepStrictEqual } from "node:util";
import { pathSegmentProblems } from "../validation/names.ts";
import { invalidValue } from "../validation/status-cause.ts";
import { fieldsAt, objectIn, objectsIn, setMissing, statusOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** Nodes: a kubelet registers its node together with the status. */
export const nodeStrategy: Strategy = {
  keepsStatusAtCreation: true,
  defaults(node) {
    objectIn(node, "spec");
    const { capacity } = statusOf(node);
    setMissing(objectIn(node, "status"), capacity ? { allocatable: capacity } : {});
  },
};

/** Secrets: `stringData` is only ever written, and ends up in `data`. */
export const secretStrategy: Strategy = {
  defaults(secret) {
    setMissing(secret, { type: "Opaque" });
    for (const [key, text] of Object.entries(fieldsAt(secret, "stringData"))) {
      objectIn(secret, "data")[key] = Buffer.from(String(text)).toString("base64");
    }
    delete secret.stringData;
  },
};

/** Services: they are kept and shown; no address is allocated, for nothing routes to them. */
export const serviceStrategy: Strategy = {
  createOnUpdate: true,
  answersDeleted: true,
  defaults(service) {
    for (const port of objectsIn(objectIn(service, "spec"), "ports")) setMissing(port, { protocol: "TCP" });
  },
};

const group = "rbac.authorization.k8s.io";

/** Roles and ClusterRoles. */
export const roleStrategy: Strategy = { nameRule: pathSegmentProblems, createOnUpdate: true };

/** RoleBindings and ClusterRoleBindings: what they bind to cannot change. */
export const roleBindingStrategy: Strategy = {
  nameRule: pathSegmentProblems,
  createOnUpdate: true,
  defaults(binding) {
    setMissing(objectIn(binding, "roleRef"), { apiGroup: group });
    for (const subject of objectsIn(binding, "subjects")) {
      if (subject.kind !== "ServiceAccount") setMissing(subject, { apiGroup: group });
    }
  },
  validate(binding, live) {
    if (!live || isDeepStrictEqual(fieldsAt(binding, "roleRef"), fieldsAt(live, "roleRef"))) return [];
    return [invalidValue("roleRef", binding.roleRef, "cannot change roleRef")];
  },
};
