import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Check } from "./finding.ts";

const NetworkPolicy: Kind = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  namespaced: true,
};

interface Policy extends KubernetesObject {
  readonly spec?: {
    readonly egress?: readonly { readonly to?: readonly unknown[]; readonly ports?: readonly { port?: unknown }[] }[];
  };
}

/**
 * Which of Holdfast's network policies in this namespace open ports to every address: a policy cannot name the API
 * server or Salt by a label, so it is open until an administrator has named addresses. @throws ApiError
 */
export async function openEgress(client: Client, namespace: string): Promise<readonly Check[]> {
  const labelSelector = "app.kubernetes.io/part-of=holdfast";
  const policies = await Array.fromAsync(client.list<Policy>(NetworkPolicy, { namespace, labelSelector }));
  return policies.flatMap(({ metadata, spec }): Check[] => {
    const open = (spec?.egress ?? []).filter(({ to = [] }) => to.length === 0);
    if (open.length === 0) return [];
    const ports = open.flatMap(({ ports }) => ports?.map(({ port }) => port) ?? ["all"]);
    return [
      {
        what: `NetworkPolicy ${namespace}/${metadata.name} opens these ports to every address: ${ports.join(", ")}.`,
        why: "An attacker who has taken over a function can send what it reads to any server that listens there.",
        todo:
          "Name the addresses of the API server and of Salt, as in knative/examples/egress-addresses; " +
          "with the Helm chart, set addresses.apiServer and addresses.salt.",
        isNote: true,
      },
    ];
  });
}
