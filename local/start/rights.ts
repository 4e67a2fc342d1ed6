import type { Client } from "../../shared/kubernetes/client.ts";

/** Something an identity would have to be allowed to do. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

/** Those of the rights that the client's identity has not, in words. */
export async function missingRights(client: Client, rights: readonly Right[]): Promise<string[]> {
  const answers = await Promise.all(
    rights.map(async (right) => ((await isAllowed(client, right)) ? [] : [inWords(right)])),
  );
  return answers.flat();
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

function inWords({ verb, resource, subresource, namespace }: Right): string {
  const name = subresource ? `${resource}/${subresource}` : resource;
  return `${verb} ${name}${namespace ? ` in ${namespace}` : ""}`;
}
