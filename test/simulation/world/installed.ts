import type { Client } from "../../../shared/kubernetes/client.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { Transport } from "../../../shared/kubernetes/transport.ts";
import { type Installation, namespacesOfOthers } from "../../worlds/installation.ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Namespace,
  Role,
  RoleBinding,
  ServiceAccount,
} from "../../worlds/kinds.ts";
import { tokenOf } from "../../worlds/service-account.ts";

const admission = (kind: string, plural: string): Kind => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind,
  plural,
  namespaced: false,
});

const CustomResourceDefinition: Kind = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

const known: readonly Kind[] = [
  admission("MutatingAdmissionPolicy", "mutatingadmissionpolicies"),
  admission("MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings"),
  admission("ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
  admission("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"),
  CustomResourceDefinition,
  Namespace,
  ServiceAccount,
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  ConfigMap,
];
/** Puts an installation on an API server, and returns the transport of each of its service accounts. */
export async function putOn(
  admin: Client,
  connect: (token: string) => Transport,
  { objects, accounts }: Installation,
): Promise<(namespace: string, name: string) => Transport> {
  const all = [...namespacesOfOthers(objects), ...objects];
  const namespacesFirst = all.toSorted((a, b) => Number(b.kind === "Namespace") - Number(a.kind === "Namespace"));
  for (const object of namespacesFirst) {
    const kind = known.find((one) => one.apiVersion === object.apiVersion && one.kind === object.kind);
    if (!kind) throw new Error(`The simulation does not install ${object.apiVersion} ${object.kind}.`);
    await admin.create(kind, object);
  }
  const transports = new Map<string, Transport>();
  for (const { namespace, name } of accounts)
    transports.set(`${namespace}/${name}`, connect(await tokenOf(admin, namespace, name)));
  return (namespace, name) => {
    const transport = transports.get(`${namespace}/${name}`);
    if (!transport) throw new Error(`The manifests have no service account ${namespace}/${name}.`);
    return transport;
  };
}
