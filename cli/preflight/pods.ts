import { confined } from "../../shared/confined.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { Pod, pathOf } from "../../shared/kubernetes/kind.ts";
import type { Check } from "./finding.ts";

/**
 * Whether a ResourceQuota, a LimitRange or Pod Security of the namespace refuses a pod with what functions ask for: a
 * dry run says so. Without the namespace there is nothing to ask. @throws ApiError
 */
export async function acceptedPods(client: Client, namespace: string): Promise<readonly Check[]> {
  const spec = {
    automountServiceAccountToken: false,
    containers: [{ name: "function", image: "holdfast", ...confined }],
  };
  const pod = { apiVersion: Pod.apiVersion, kind: Pod.kind, metadata: { name: "holdfast-preflight" }, spec };
  try {
    await client.request("POST", `${pathOf(Pod, namespace)}?dryRun=All`, pod);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) return [];
    // In these words the API server's own admission refuses; of a right that lacks, RBAC says "cannot".
    const [, because] = /pods "holdfast-preflight" is forbidden: (.*)/.exec(error.message) ?? [];
    if (because === undefined) throw error;
    return [
      {
        what: `Namespace ${namespace} refuses pods as functions have them: ${because.replace(/\.?$/, ".")}`,
        why: "Then no function starts, or no new one in an upgrade.",
        todo:
          `Look at them: \`kubectl describe resourcequotas,limitranges -n ${namespace}\`. Change what refuses, or ` +
          "what functions ask for: docs/tune.md, Requests and limits.",
      },
    ];
  }
  return [{ what: `Namespace ${namespace} takes pods as functions have them.` }];
}
