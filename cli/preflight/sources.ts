import { isNotFound } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Check } from "./finding.ts";

const ApiServerSource: Kind = {
  apiVersion: "sources.knative.dev/v1",
  kind: "ApiServerSource",
  plural: "apiserversources",
  namespaced: true,
};

interface Source extends KubernetesObject {
  readonly spec?: { readonly resources?: readonly { readonly apiVersion: string; readonly kind: string }[] };
}

/**
 * Whether the cluster serves what the sources in this namespace watch. The adapter of an ApiServerSource ends when one
 * of its kinds is not served, and then sends no events of the others either. @throws ApiError
 */
export async function servedSources(
  client: Client,
  served: readonly Kind[],
  namespace: string,
): Promise<readonly Check[]> {
  const sources = await Array.fromAsync(client.list<Source>(ApiServerSource, { namespace })).catch((error: unknown) => {
    if (isNotFound(error)) return [];
    throw error;
  });
  return sources.flatMap(({ metadata, spec }): Check[] => {
    const missing = (spec?.resources ?? []).filter(
      (one) => !served.some(({ apiVersion, kind }) => apiVersion === one.apiVersion && kind === one.kind),
    );
    if (missing.length === 0) return [];
    const kinds = missing.map(({ apiVersion, kind }) => `${kind} of ${apiVersion}`).join(", ");
    return [
      {
        what: `ApiServerSource ${namespace}/${metadata.name} watches ${kinds}, which this cluster does not serve.`,
        why: "Its adapter ends and restarts again and again, and sends no events of its other kinds either.",
        todo: "Install what defines the kind, or take the component that brings it out of your kustomization.",
      },
    ];
  });
}
