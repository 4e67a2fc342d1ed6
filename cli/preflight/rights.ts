import type { Client } from "../../shared/kubernetes/client.ts";
import { groupOf, type Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Rule } from "../../shared/rule.ts";
import type { Check } from "./finding.ts";

const SelfSubjectAccessReview: Kind = {
  apiVersion: "authorization.k8s.io/v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
};

interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

/** Whether the API server would let the user do this. @throws ApiError */
async function may(client: Client, right: Right): Promise<boolean> {
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

const rbac = "rbac.authorization.k8s.io";
const admission = "admissionregistration.k8s.io";

/** What an installation creates. */
const created = (namespace: string): readonly Right[] => [
  { verb: "create", group: "", resource: "namespaces" },
  { verb: "create", group: rbac, resource: "clusterroles" },
  { verb: "create", group: rbac, resource: "clusterrolebindings" },
  { verb: "create", group: admission, resource: "validatingadmissionpolicies" },
  { verb: "create", group: admission, resource: "validatingadmissionpolicybindings" },
  { verb: "create", group: "", resource: "serviceaccounts", namespace },
  { verb: "create", group: "", resource: "configmaps", namespace },
  { verb: "create", group: rbac, resource: "roles", namespace },
];

/** Whether the user may create the objects of these rules, and grant what their roles grant. @throws ApiError */
export async function rightsToInstall(
  client: Client,
  rules: readonly Rule[],
  namespace: string,
  brings: boolean,
): Promise<readonly Check[]> {
  const definitions = { verb: "create", group: "apiextensions.k8s.io", resource: "customresourcedefinitions" };
  const isGranter = await may(client, { verb: "escalate", group: rbac, resource: "clusterroles" });
  const wanted = [
    ...created(namespace),
    ...(brings ? [definitions] : []),
    ...(isGranter ? [] : rules.flatMap(grantedBy)),
  ];
  const distinct = [...new Map(wanted.map((right) => [JSON.stringify(right), right])).values()];
  const lacking: Right[] = [];
  for (const right of distinct) if (!(await may(client, right))) lacking.push(right);
  if (lacking.length === 0) return [{ what: "You may create what an installation consists of." }];
  const names = lacking.map(({ verb, group, resource }) => `${verb} ${resource}${group ? `.${group}` : ""}`);
  return [
    {
      what: `You may not: ${[...new Set(names)].join(", ")}.`,
      why: "The API server refuses objects that you may not create, and roles that grant more than you have.",
      todo: "Install as a cluster administrator.",
    },
  ];
}

const grantedBy = ({ permissions }: Rule): readonly Right[] =>
  permissions
    .filter(({ ownNamespace, overlay }) => !ownNamespace && !overlay)
    .flatMap(({ resource, subresource, verbs }) =>
      verbs.map((verb) => ({
        verb,
        group: groupOf(resource),
        resource: resource.plural,
        ...(subresource ? { subresource } : {}),
      })),
    );
