import type { Client } from "../../shared/kubernetes/client.ts";
import { groupOf, type Kind } from "../../shared/kubernetes/kind.ts";
import { lackingRights, may, type Right } from "../../shared/kubernetes/lacking-rights.ts";
import type { Rule } from "../../shared/rule.ts";
import { installedKinds } from "../uninstall/installed.ts";
import type { Check } from "./finding.ts";

const rbac = "rbac.authorization.k8s.io";
/** Objects of these come with optional components only. */
const optional = ["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "EventTransform"];
/** The edition without Knative has its functions in these. */
const withoutKnative = ["apps/v1 Deployment", "v1 Service"];

/** What is written to the kinds that an installation has objects of, where the cluster serves them. */
function written(served: readonly Kind[], namespace: string, verbs: readonly string[]): readonly Right[] {
  const names = new Set(served.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
  const others = names.has("serving.knative.dev/v1 Service") ? withoutKnative : [];
  return installedKinds
    .filter(({ apiVersion, kind }) => {
      const name = `${apiVersion} ${kind}`;
      return names.has(name) && !others.includes(name) && !optional.includes(kind);
    })
    .flatMap((kind) =>
      verbs.map((verb) => ({
        verb,
        group: groupOf(kind),
        resource: kind.plural,
        ...(kind.namespaced ? { namespace } : {}),
      })),
    );
}

/** Whether the user may write the objects of these rules, and grant what their roles grant. @throws ApiError */
export async function rightsToInstall(
  client: Client,
  served: readonly Kind[],
  rules: readonly Rule[],
  namespace: string,
  brings: boolean,
): Promise<readonly Check[]> {
  const definitions = { verb: "create", group: "apiextensions.k8s.io", resource: "customresourcedefinitions" };
  const isGranter = await may(client, { verb: "escalate", group: rbac, resource: "clusterroles" });
  const wanted = [
    ...written(served, namespace, ["create", "patch"]),
    ...(brings ? [definitions] : []),
    ...(isGranter ? [] : rules.flatMap(grantedBy)),
  ];
  const missing = await lackingRights(client, wanted);
  const undeletable = await lackingRights(client, written(served, namespace, ["delete"]));
  const note: readonly Check[] = undeletable
    ? [
        {
          what: `You may not: ${undeletable}.`,
          why: "An uninstall needs these rights.",
          todo: "Uninstall with an account that has them.",
          isNote: true,
        },
      ]
    : [];
  if (!missing) return [{ what: "You may write what an installation consists of." }, ...note];
  return [
    ...note,
    {
      what: `You may not: ${missing}.`,
      why: "The API server refuses objects that you may not write, and roles that grant more than you have.",
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
