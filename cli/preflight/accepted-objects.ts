import { shippedBuffer } from "../../functions/platform/lib/kept-event.ts";
import { confined } from "../../shared/confined.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { ConfigMap, type Kind, Pod, pathOf } from "../../shared/kubernetes/kind.ts";
import type { Check } from "./finding.ts";

/**
 * Whether a ResourceQuota, a LimitRange or Pod Security of the namespace refuses a pod with what functions ask for, or
 * the ConfigMap that they create: dry runs say so. Without the namespace there is nothing to ask. @throws ApiError
 */
export async function acceptedObjects(client: Client, namespace: string): Promise<readonly Check[]> {
  const spec = {
    automountServiceAccountToken: false,
    containers: [{ name: "function", image: "holdfast", ...confined }],
  };
  const events = `Then ${shippedBuffer} cannot be made, and no dead-lettered event is kept.`;
  const isKept = await client.get(ConfigMap, namespace, shippedBuffer, { metadataOnly: true });
  return [
    ...(await accepted(client, Pod, namespace, { spec }, "Then no function starts, or no new one in an upgrade.")),
    ...(isKept ? [] : await accepted(client, ConfigMap, namespace, {}, events)),
  ];
}

/** Whether the namespace takes one more of a kind. @throws ApiError where something else is in the way */
async function accepted(client: Client, kind: Kind, namespace: string, content: object, why: string) {
  const object = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: "holdfast-preflight" }, ...content };
  const title = `one more ${kind.kind} of Holdfast`;
  try {
    await client.request("POST", `${pathOf(kind, namespace)}?dryRun=All`, object);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) return [];
    // In these words the API server's own admission refuses. Of a right that lacks, RBAC says "cannot".
    const [, because] = / "holdfast-preflight" is forbidden: (.*)/.exec(error.message) ?? [];
    if (because === undefined) throw error;
    const todo =
      `Look at them: \`kubectl describe resourcequotas,limitranges -n ${namespace}\`. Change what refuses, or what ` +
      "functions ask for: docs/tune.md, Requests and limits.";
    return [{ what: `Namespace ${namespace} refuses ${title}: ${because.replace(/\.?$/, ".")}`, why, todo }];
  }
  return [{ what: `Namespace ${namespace} takes ${title}.` }];
}
