import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { discover } from "../controllers/discovery/discover.ts";
import { Complaint } from "./complaint.ts";

/** Objects that were put on a cluster and can be taken away again. */
export interface Installed {
  readonly objects: readonly KubernetesObject[];
  /** Deletes them, last first; resolves when the server no longer has any of them. */
  remove(): Promise<void>;
}

/** Marks what this program put on somebody's cluster, so that a run after one that was killed knows its own. */
export const ownLabel = { "app.kubernetes.io/managed-by": "holdfast-laptop" };

/** What others refer to comes first. */
const order = ["Namespace", "CustomResourceDefinition", "ServiceAccount", "ClusterRole", "ClusterRoleBinding"];
const rank = ({ kind }: KubernetesObject) => (order.includes(kind) ? order.indexOf(kind) : order.length);

/** The kind of each object by what the server serves, and the objects in the order in which they can be created. */
export async function sortForCreation(client: Client, objects: readonly KubernetesObject[]): Promise<[Kind, KubernetesObject][]> {
  const served = await discover(client, () => {});
  return objects
    .toSorted((one, other) => rank(one) - rank(other))
    .map((object) => {
      const kind = served.find(({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind);
      if (!kind) throw new Complaint(`The API server does not serve ${object.apiVersion} ${object.kind}.`);
      return [kind, object];
    });
}
