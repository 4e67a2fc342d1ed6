import type { HttpRequest } from "../../shared/http-message.ts";
import { pathOf } from "../../shared/kubernetes/kind.ts";
import type { ManualEvent } from "./cluster.ts";

/** The CloudEvent, in binary mode, that a source or the sweep would send for this. */
export function manualRequest({ change, kind, name, object }: ManualEvent, namespace: string, id: string): HttpRequest {
  const sweep = change === "sweep";
  const headers = {
    "ce-specversion": "1.0",
    "ce-id": id,
    "ce-source": sweep ? "https://holdfast.dev/platform/sweep" : "https://10.96.0.1:443",
    "ce-type": sweep ? "dev.holdfast.sweep" : `dev.knative.apiserver.resource.${change}`,
    "ce-subject": pathOf(kind, namespace, name),
    "ce-apiversion": kind.apiVersion,
    "ce-kind": kind.kind,
    "ce-name": name,
    "ce-namespace": namespace,
    ...(object ? { "content-type": "application/json" } : {}),
  };
  return { headers, body: object ? JSON.stringify(object) : "" };
}
