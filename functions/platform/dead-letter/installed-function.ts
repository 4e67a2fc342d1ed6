import { ApiError, isNotFound } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** The Service of a function where Knative serves it. */
export const KnativeService = {
  apiVersion: "serving.knative.dev/v1",
  kind: "Service",
  plural: "services",
  namespaced: true,
} as const satisfies Kind;

/** The account of a function, which has the function's name, with Knative and without. */
export const ServiceAccount = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  namespaced: true,
} as const satisfies Kind;

type KnativeServiceObject = KubernetesObject & {
  spec?: {
    template?: { spec?: { volumes?: readonly Volume[] } };
  };
  status?: {
    latestReadyRevisionName?: string;
    conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  };
};

interface Volume {
  readonly secret?: { readonly secretName?: string };
  readonly projected?: { readonly sources?: readonly { readonly secret?: { readonly name?: string } }[] };
}

/** A function that is installed, as the cluster knows it: none of this is a sender's text. */
export interface InstalledFunction {
  readonly name: string;
  /** Why it has no ready Revision, as Knative's word for it; absent where it has one, or runs without Knative. */
  readonly unready?: string;
  /** The Secrets that it mounts: the credentials of its external systems. */
  readonly secrets: readonly string[];
}

/**
 * The function at the destination that a dead-lettered event names, `<name>.<namespace>`, live: `absent` when no
 * account of that name is beside this function, `unknown` when this function may not read it.
 *
 * @throws ApiError when the API server cannot be reached
 */
export async function lookAtFunction(
  client: Client,
  destination: string,
  namespace: string,
): Promise<InstalledFunction | "absent" | "unknown"> {
  const [, name] = /^([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)\.(.+)$/.exec(destination) ?? [];
  if (!name || destination !== `${name}.${namespace}`) return "absent";
  try {
    const account = await client.get(ServiceAccount, namespace, name, { metadataOnly: true });
    return account ? { name, ...(await stateOf(client, namespace, name)) } : "absent";
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return "unknown";
    throw error;
  }
}

async function stateOf(client: Client, namespace: string, name: string): Promise<Omit<InstalledFunction, "name">> {
  try {
    const service = await client.get<KnativeServiceObject>(KnativeService, namespace, name);
    return service ? stateIn(service) : { unready: "there is no Service", secrets: [] };
  } catch (error) {
    // Without Knative there is no such kind.
    if (isNotFound(error)) return { secrets: [] };
    throw error;
  }
}

function stateIn({ spec, status }: KnativeServiceObject): Omit<InstalledFunction, "name"> {
  const secrets = (spec?.template?.spec?.volumes ?? []).flatMap(({ secret, projected }) => [
    secret?.secretName ?? [],
    ...(projected?.sources ?? []).map((source) => source.secret?.name ?? []),
  ]);
  const failed = status?.conditions?.find(({ type, status }) => type === "ConfigurationsReady" && status !== "True");
  const unready = status?.latestReadyRevisionName ? {} : { unready: failed?.reason ?? "Unknown" };
  return { secrets: secrets.flat(), ...unready };
}
