import type { Client } from "./client.ts";
import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./object.ts";

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
  readonly namespace?: string | undefined;
  /** The objects that it is about. If the user lacks the right to all objects, these are enough. */
  readonly of?: readonly Place[];
}

interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string;
}

/** Whether the API server would let the user do this. @throws ApiError */
export async function may(client: Client, { of = [], ...right }: Right & Place): Promise<boolean> {
  const review = {
    apiVersion: SelfSubjectAccessReview.apiVersion,
    kind: SelfSubjectAccessReview.kind,
    metadata: {} as never,
    spec: { resourceAttributes: right },
  };
  const { status } = (await client.create(SelfSubjectAccessReview, review)) as KubernetesObject & {
    status?: { allowed?: boolean };
  };
  if (status?.allowed || of.length === 0) return status?.allowed ?? false;
  for (const place of of) if (!(await may(client, { ...right, ...place }))) return false;
  return true;
}

/** The rights that the user lacks, as words; empty where none is lacking. @throws ApiError */
export async function lackingRights(client: Client, rights: readonly Right[]): Promise<string> {
  const distinct = [...new Map(rights.map((right) => [JSON.stringify(right), right])).values()];
  const missing: Right[] = [];
  for (const right of distinct) if (!(await may(client, right))) missing.push(right);
  const nameOf = ({ group, resource, subresource }: Right) =>
    `${resource}${subresource ? `/${subresource}` : ""}${group ? `.${group}` : ""}`;
  return [...Map.groupBy(missing, nameOf)]
    .map(([resource, of]) => `${[...new Set(of.map(({ verb }) => verb))].join("/")} ${resource}`)
    .join(", ");
}
