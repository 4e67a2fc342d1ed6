import type { Client } from "../../shared/kubernetes/client.ts";

/** Something an identity would have to be allowed to do. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
}

/** Those of the rights that the client's identity has not, in words: `create/delete namespaces`. */
export async function missingRights(client: Client, rights: readonly Right[]): Promise<string[]> {
  const allowed = await Promise.all(rights.map((right) => isAllowed(client, right)));
  const verbs = new Map<string, string[]>();
  for (const [index, { verb, resource, subresource }] of rights.entries()) {
    if (allowed[index]) continue;
    const name = subresource ? `${resource}/${subresource}` : resource;
    verbs.set(name, [...(verbs.get(name) ?? []), verb]);
  }
  return [...verbs].map(([name, verbs]) => `${verbs.join("/")} ${name}`);
}

async function isAllowed(client: Client, resourceAttributes: Right): Promise<boolean> {
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes },
  };
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const { status } = await client.request<{ status: { allowed: boolean } }>("POST", path, review);
  return status.allowed;
}
