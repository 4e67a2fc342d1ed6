import { shippedBuffer } from "../../functions/platform/lib/kept-event.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { discover } from "../../shared/kubernetes/discover.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/** What Kubernetes and the functions make in every namespace of ours, and what goes without a loss. */
const made = ["ConfigMap kube-root-ca.crt", `ConfigMap ${shippedBuffer}`, "ServiceAccount default"];
const passing = ["Event", "Endpoints", "EndpointSlice", "Lease"];

/**
 * What there is in a namespace of ours that is not of the install, such as a Secret: it would go with the namespace.
 * What has an owner goes with that.
 */
export async function strangersIn(client: Client, namespace: string): Promise<readonly string[]> {
  const strangers: string[] = [];
  // A group that does not answer may have objects there: that is unknown.
  const kinds = await discover(client, (path) => strangers.push(`what ${path} serves, which does not answer`));
  for (const kind of kinds) {
    const isRead = kind.namespaced && kind.preferred && ["list", "delete"].every((verb) => kind.verbs.includes(verb));
    if (!isRead || passing.includes(kind.kind)) continue;
    for await (const { metadata } of client.list<KubernetesObject>(kind, { namespace, metadataOnly: true })) {
      const name = `${kind.kind} ${metadata.name}`;
      const isOurs = metadata.labels?.["app.kubernetes.io/part-of"] === "holdfast" || made.includes(name);
      if (!isOurs && !metadata.ownerReferences?.length) strangers.push(name);
    }
  }
  return strangers;
}
