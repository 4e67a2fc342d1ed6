import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

const SelfSubjectAccessReview: Kind = {
  apiVersion: "authorization.k8s.io/v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
};

/** What a user may do with a kind; in all namespaces where none is named. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

/** Whether the API server would let the user do this. @throws ApiError */
export async function may(client: Client, right: Right): Promise<boolean> {
  const review = {
    apiVersion: SelfSubjectAccessReview.apiVersion,
    kind: SelfSubjectAccessReview.kind,
    metadata: {} as never,
    spec: { resourceAttributes: right },
  };
  const { status } = (await client.create(SelfSubjectAccessReview, review)) as KubernetesObject & {
    status?: { allowed?: boolean };
  };
  return status?.allowed ?? false;
}

/** The rights that the user lacks, as words; empty where none is lacking. @throws ApiError */
export async function lackingRights(client: Client, rights: readonly Right[]): Promise<string> {
  const distinct = [...new Map(rights.map((right) => [JSON.stringify(right), right])).values()];
  const missing: Right[] = [];
  for (const right of distinct) if (!(await may(client, right))) missing.push(right);
  return [...Map.groupBy(missing, ({ group, resource }) => `${resource}${group ? `.${group}` : ""}`)]
    .map(([resource, of]) => `${[...new Set(of.map(({ verb }) => verb))].join("/")} ${resource}`)
    .join(", ");
}
