import type { Client } from "../../../shared/kubernetes/client.ts";
import { Event, type Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/**
 * A client that looks for Cluster API's objects on the management cluster, and for all others on the function's own;
 * the own one where no kubeconfig is named.
 *
 * @param kubeconfig path of the file by which the management cluster is reached; empty for the function's own cluster
 * @param connect makes its client; throws what that throws, so that the event is delivered again
 */
export async function withManagementCluster(
  own: Client,
  kubeconfig: string,
  connect: (kubeconfig: string) => Promise<Client>,
): Promise<Client> {
  if (kubeconfig === "") return own;
  const management = await connect(kubeconfig);
  const of = ({ apiVersion }: Kind) => (isThere(`/apis/${apiVersion}`) ? management : own);
  return {
    // Events of a Machine are where it is. They are only read where one of the name is already there.
    get: async (kind, ...rest) =>
      (await of(kind).get(kind, ...rest)) ??
      (kind.kind === Event.kind ? management.get(kind, ...rest) : (undefined as never)),
    list: (kind, ...rest) => of(kind).list(kind, ...rest),
    create: (kind, object, ...rest) => (isOfMachine(object) ? management : of(kind)).create(kind, object, ...rest),
    patch: (kind, ...rest) => of(kind).patch(kind, ...rest),
    delete: (kind, ...rest) => of(kind).delete(kind, ...rest),
    request: (method, path, ...rest) => (isThere(path) ? management : own).request(method, path, ...rest),
  };
}

const isOfMachine = (object: KubernetesObject & { regarding?: { apiVersion?: string } }) =>
  isThere(`/apis/${object.regarding?.apiVersion}`);

/** Machines, and the infrastructure objects that they name: also where an API server says which versions it serves. */
const isThere = (path: string) => /^\/apis\/(infrastructure\.)?cluster\.x-k8s\.io(\/|$)/.test(path);
