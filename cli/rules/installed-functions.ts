import { ApiError } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { ConfigMap, type Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { listServed } from "../../shared/uninstall/list-served.ts";

/** A function that is installed. */
export interface InstalledFunction {
  /** The name of its Service or Deployment: `pvc-protection-release`. */
  readonly name: string;
  readonly kind: Kind;
  readonly object: Workload;
  /** Its environment variables, those of ConfigMaps included. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Container {
  readonly image?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[];
}

interface Workload extends KubernetesObject {
  readonly spec?: { readonly template?: { readonly spec?: { readonly containers?: readonly Container[] } } };
}

const workloads: readonly Kind[] = [
  { apiVersion: "serving.knative.dev/v1", kind: "Service", plural: "services", namespaced: true },
  { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true },
];

const labelSelector = "app.kubernetes.io/part-of=holdfast,app.kubernetes.io/component";

/**
 * The functions that are installed in a namespace, with Knative and without, by name; `undefined` where the user may
 * not read that.
 *
 * @throws ApiError
 */
export async function findFunctions(
  client: Client,
  namespace: string,
): Promise<ReadonlyMap<string, InstalledFunction> | undefined> {
  const found = new Map<string, InstalledFunction>();
  try {
    for (const kind of workloads)
      for await (const object of listServed<Workload>(client, kind, { namespace, labelSelector })) {
        // What Knative makes of our objects belongs to it.
        if (object.metadata.ownerReferences?.length) continue;
        const { name } = object.metadata;
        found.set(name, { name, kind, object, environment: await environmentOf(client, object) });
      }
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
  return found;
}

async function environmentOf(client: Client, { metadata, spec }: Workload): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const { env = [], envFrom = [] } of spec?.template?.spec?.containers ?? []) {
    for (const { configMapRef } of envFrom) {
      if (!configMapRef) continue;
      const shared = await client.get<KubernetesObject & { data?: Record<string, string> }>(
        ConfigMap,
        metadata.namespace,
        configMapRef.name,
      );
      Object.assign(variables, shared?.data);
    }
    for (const { name, value } of env) if (value !== undefined) variables[name] = value;
  }
  return variables;
}
