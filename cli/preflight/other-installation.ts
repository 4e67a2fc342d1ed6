import type { Client } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { ClusterRoleBinding, ours } from "../uninstall/installed.ts";
import type { Check } from "./finding.ts";

interface Binding extends KubernetesObject {
  readonly subjects?: readonly { readonly kind: string; readonly namespace?: string }[];
}

/** On what Helm has made: the name of its release. */
const releaseKey = "meta.helm.sh/release-name";

/**
 * Whether the rights of Holdfast belong to accounts in another namespace than the one to install in: the bindings of
 * all installations have the same names, so that the last apply takes the rights of the others. Of an installation in
 * this namespace, a note says whether it is Helm's. @throws ApiError
 */
export async function otherInstallation(client: Client, namespace: string): Promise<readonly Check[]> {
  const homes = new Map<string, string | undefined>();
  for await (const { metadata, subjects = [] } of client.list<Binding>(ClusterRoleBinding, { labelSelector: ours }))
    for (const { kind, namespace: home } of subjects)
      if (kind === "ServiceAccount" && home) homes.set(home, metadata.annotations?.[releaseKey]);
  return [...homes].map(([home, release]) => (home === namespace ? ofThis(home, release) : ofAnother(home, namespace)));
}

const ofThis = (namespace: string, release: string | undefined): Check => ({
  what:
    `ClusterRoleBindings of Holdfast for namespace ${namespace} are there already: ` +
    (release === undefined ? "Helm has not made them." : `the Helm release ${release} has them.`),
  why:
    "If Helm installs over kubectl or kustomize, or the other way round, both have the same objects. " +
    "`helm uninstall` then deletes all functions, also after an install that failed.",
  todo:
    "Upgrade an installation that runs in the way in which it was installed; docs/install.md says how to change to " +
    "Helm. If its namespace was deleted, docs/while-it-is-down.md says how to install it again.",
  isNote: true,
});

const ofAnother = (home: string, namespace: string): Check => ({
  what: `Holdfast is installed in namespace ${home}: its ClusterRoleBindings name accounts there.`,
  why:
    "A cluster has room for one installation. Both have the same ClusterRoleBindings, so that the one that is " +
    "applied last takes all rights from the functions of the other.",
  todo:
    `Keep one. If it is the one in ${home}, give --install-namespace ${home}. If it is the one in ${namespace}, ` +
    `delete the functions in ${home} first, and then apply the one in ${namespace}.`,
});
