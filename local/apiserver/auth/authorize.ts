import type { State } from "../state.ts";
import { StatusError } from "../status-error.ts";
import type { Attributes, PathAttributes } from "./attributes.ts";
import { rulesOf } from "./bindings.ts";
import type { Identity } from "./identity.ts";
import { allows, allowsPath } from "./role-rules.ts";

/** Whether roles let a user do something. Everything is allowed while RBAC is off, and to `system:masters` always. */
export function isAllowed(state: State, user: Identity, wanted: Attributes | PathAttributes): boolean {
  if (!state.switches.rbac || user.groups.includes("system:masters")) return true;
  const namespace = "path" in wanted ? undefined : wanted.namespace;
  for (const rule of rulesOf(state, user, namespace)) {
    if ("path" in wanted ? allowsPath(rule, wanted) : allows(rule, wanted)) return true;
  }
  return false;
}

/** Lets pass who may do this to a resource. Throws 403 otherwise, whether or not there is such a resource. */
export function authorize(state: State, user: Identity, wanted: Attributes): void {
  if (isAllowed(state, user, wanted)) return;
  const { verb, group, resource, namespace, name } = wanted;
  const plural = resource.split("/")[0] ?? resource;
  const subject = `${group ? `${plural}.${group}` : plural}${name ? ` ${JSON.stringify(name)}` : ""}`;
  const scope = namespace ? `in the namespace ${JSON.stringify(namespace)}` : "at the cluster scope";
  throw new StatusError(
    403,
    "Forbidden",
    `${subject} is forbidden: User ${JSON.stringify(user.user)} cannot ${verb} resource ` +
      `${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${scope}`,
    { ...(name ? { name } : {}), ...(group ? { group } : {}), kind: plural },
  );
}

/** Lets pass who may ask for a path that is no resource. Throws 403 otherwise. */
export function authorizePath(state: State, user: Identity, wanted: PathAttributes): void {
  if (isAllowed(state, user, wanted)) return;
  const { verb, path } = wanted;
  const message = `forbidden: User ${JSON.stringify(user.user)} cannot ${verb} path ${JSON.stringify(path)}`;
  throw new StatusError(403, "Forbidden", message, {});
}
