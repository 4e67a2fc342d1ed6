import { isForbidden } from "../../shared/kubernetes/api-error.ts";
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
  /** Variables whose values are not read, as those of Secrets; `*` where any further one may be set. */
  readonly unread: readonly string[];
}

interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly env?: readonly Variable[];
  readonly envFrom?: readonly { readonly prefix?: string; readonly configMapRef?: { readonly name: string } }[];
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly configMapKeyRef?: Reference };
}

interface Reference {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
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
        found.set(name, { name, kind, object, ...(await variablesOf(client, object)) });
      }
  } catch (error) {
    return unlessForbidden(error);
  }
  return found;
}

function unlessForbidden(error: unknown): undefined {
  if (!isForbidden(error)) throw error;
}

/**
 * A value with the variables before it in the places of `$(NAME)`; `$$` is a `$`, and a name that there is not stays.
 * `undefined` where one of them is not read.
 */
function expanded(
  value: string,
  variables: ReadonlyMap<string, string>,
  unread: ReadonlySet<string>,
): string | undefined {
  let isKnown = true;
  const text = value.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (reference, name?: string) => {
    if (name === undefined) return "$";
    const found = variables.get(name);
    // What is about the API server's own Service is set in every container.
    if (found === undefined && (unread.has(name) || unread.has("*") || name.startsWith("KUBERNETES_"))) isKnown = false;
    return found ?? reference;
  });
  return isKnown ? text : undefined;
}

/**
 * The environment variables of a function, as the kubelet sets them in its container: a later source takes the place of
 * an earlier one.
 */
export async function variablesOf(client: Client, { metadata, spec }: Workload) {
  const variables = new Map<string, string>();
  const unread = new Set<string>();
  const dataOf = async (name: string) =>
    (await client.get<KubernetesObject & { data?: Record<string, string> }>(ConfigMap, metadata.namespace, name))
      ?.data ?? {};
  // What stands beside it has variables of its own. Deployments name it; Knative's container needs no name.
  const all = spec?.template?.spec?.containers ?? [];
  const own = all.find(({ name }) => name === "function") ?? all[0];
  for (const { env = [], envFrom = [] } of own ? [own] : []) {
    for (const { prefix = "", configMapRef } of envFrom) {
      if (configMapRef) {
        for (const [key, value] of Object.entries(await dataOf(configMapRef.name))) variables.set(prefix + key, value);
      } else {
        // A Secret may hold each variable so far too, with another value.
        variables.clear();
        unread.add("*");
      }
    }
    for (const { name, value = "", valueFrom } of env) {
      const { configMapKeyRef: from } = valueFrom ?? {};
      const literal = valueFrom ? undefined : expanded(value, variables, unread);
      // It may be no setting at all: what may not be read is unread, and the rest is read all the same.
      const given = from ? await dataOf(from.name).catch(unlessForbidden) : undefined;
      const found = from ? given?.[from.key] : literal;
      if (found !== undefined) variables.set(name, found);
      else if (!given || !from?.optional) {
        variables.delete(name);
        unread.add(name);
      }
    }
  }
  return { environment: Object.fromEntries(variables), unread: [...unread] };
}
