import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Server } from "./server.ts";

interface Binding extends KubernetesObject {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

interface Role extends KubernetesObject {
  readonly rules: readonly {
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/**
 * Waits until the API server grants what the bindings among `objects` grant to service accounts, or grants it no more:
 * a real server learns of roles and bindings by watching them. Before the same names are installed again, the former
 * ones must have gone: what is left of them looks like the new ones.
 */
export async function rightsInForce(
  { admin, eventually }: Server,
  objects: readonly KubernetesObject[],
  areInForce = true,
): Promise<void> {
  const roles = new Map(objects.map((object) => [`${object.kind}/${object.metadata.name}`, object as Role]));
  const bindings = objects.filter(({ kind }) => /^(Cluster)?RoleBinding$/.test(kind)) as Binding[];
  const isGranted = async ({ roleRef, subjects, metadata }: Binding) => {
    const rule = roles.get(`${roleRef.kind}/${roleRef.name}`)?.rules.at(-1);
    const account = subjects?.find(({ kind }) => kind === "ServiceAccount");
    if (!rule?.resources || !account) return areInForce;
    const [resource, subresource] = (rule.resources[0] as string).split("/");
    const resourceAttributes = {
      namespace: metadata.namespace,
      verb: rule.verbs[0],
      group: rule.apiGroups?.[0],
      resource,
      subresource,
      name: rule.resourceNames?.[0],
    };
    const review = await admin.request<{ status: { allowed: boolean } }>(
      "POST",
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { user: `system:serviceaccount:${account.namespace}:${account.name}`, resourceAttributes },
      },
    );
    return review?.status.allowed;
  };
  for (const binding of bindings)
    await eventually(
      `${binding.kind} ${binding.metadata.name} is ${areInForce ? "" : "not "}in force`,
      async () => (await isGranted(binding)) === areInForce,
    );
}
