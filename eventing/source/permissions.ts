import { isNotFound } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { ApiServerSourcePlan } from "../manifest/api-server-source.ts";
import { guessPlural } from "./plural.ts";

/**
 * What the source's ServiceAccount may not do, as the status says it; `undefined` when it may all. Asks one
 * SubjectAccessReview for each verb, resource and namespace; a server without that API allows everything.
 */
export async function missingPermissions(
  client: Client,
  source: ApiServerSourcePlan,
  namespaces: readonly string[],
): Promise<string | undefined> {
  const user = `system:serviceaccount:${source.namespace}:${source.serviceAccount}`;
  const missing: string[] = [];
  for (const { apiVersion, kind } of source.resources) {
    const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
    const resource = guessPlural(kind);
    for (const namespace of namespaces) {
      const verbs: string[] = [];
      for (const verb of ["get", "list", "watch"]) {
        if (!(await isAllowed(client, user, { namespace, verb, group, resource }))) verbs.push(verb);
      }
      if (verbs.length) {
        missing.push(`${verbs.join(", ")} resource "${resource}" in API group "${group}" in Namespace "${namespace}"`);
      }
    }
  }
  return missing.length ? `User ${user} cannot ${missing.join(", ")}` : undefined;
}

async function isAllowed(client: Client, user: string, resourceAttributes: Record<string, string>): Promise<boolean> {
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user, resourceAttributes },
  };
  try {
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const { status } = await client.request<{ status: { allowed: boolean } }>("POST", path, review);
    return status.allowed;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
