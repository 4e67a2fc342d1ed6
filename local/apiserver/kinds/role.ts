import { isDeepStrictEqual } from "node:util";
import { pathSegmentProblems } from "../validation/names.ts";
import { invalidValue } from "../validation/status-cause.ts";
import { fieldsAt, objectIn, objectsIn, setMissing } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

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
