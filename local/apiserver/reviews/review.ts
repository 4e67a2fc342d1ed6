import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Attributes, PathAttributes } from "../auth/attributes.ts";
import { isAllowed } from "../auth/authorize.ts";
import type { Identity } from "../auth/identity.ts";
import { invalid } from "../failure.ts";
import { specOf } from "../kinds/fields.ts";
import type { Answer } from "../request/answer.ts";
import { readObject } from "../request/body.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";
import { invalidValue } from "../validation/status-cause.ts";

/** POST of a review: a question that is answered and not kept. */
export function review(state: State, call: Call): Answer {
  const { apiVersion, kind } = call.resource;
  const asked = readObject(call, call.resource);
  const status = kind === "SelfSubjectReview" ? whoAsks(call) : reviewAccess(state, call, asked);
  return { type: "object", status: 201, object: { ...asked, kind, apiVersion, status } };
}

function whoAsks({ user: { user, groups, uid } }: Call): object {
  return { userInfo: { username: user, ...(uid ? { uid } : {}), groups } };
}

/** Whether the caller, or a user that the caller names, may do something. */
function reviewAccess(state: State, call: Call, asked: KubernetesObject): object {
  const spec = specOf(asked);
  const who = asked.kind === "SelfSubjectAccessReview" ? call.user : subjectOf(spec);
  return { allowed: isAllowed(state, who, wantedIn(call, spec)) };
}

function subjectOf({ user, groups }: Fields): Identity {
  return { user: String(user ?? ""), groups: Array.isArray(groups) ? groups.map(String) : [] };
}

function wantedIn(call: Call, { resourceAttributes, nonResourceAttributes }: Fields): Attributes | PathAttributes {
  if (isFields(resourceAttributes) === isFields(nonResourceAttributes)) {
    const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    const subject = { ...call.resource, kind: "" };
    throw invalid(subject, "", [invalidValue("spec.resourceAttributes", resourceAttributes ?? null, why)]);
  }
  const text = (fields: Fields, name: string) => String(fields[name] ?? "");
  if (isFields(nonResourceAttributes)) {
    return { verb: text(nonResourceAttributes, "verb"), path: text(nonResourceAttributes, "path") };
  }
  const given = resourceAttributes as Fields;
  const subresource = text(given, "subresource");
  return {
    verb: text(given, "verb"),
    group: text(given, "group"),
    resource: subresource ? `${text(given, "resource")}/${subresource}` : text(given, "resource"),
    ...(text(given, "namespace") ? { namespace: text(given, "namespace") } : {}),
    ...(text(given, "name") ? { name: text(given, "name") } : {}),
  };
}
