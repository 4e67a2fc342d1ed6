import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { CloudEvent } from "../event/cloud-event.ts";
import { guessPlural } from "./plural.ts";

export type WatchedChange = "ADDED" | "MODIFIED" | "DELETED";

const verbs: Record<WatchedChange, string> = { ADDED: "add", MODIFIED: "update", DELETED: "delete" };

/**
 * The event that an ApiServerSource makes of a change, before it has an id and a time. In Resource mode the data is the
 * whole object, which for a delete is its last state; in Reference mode it names the object and nothing else. An update
 * does not say what changed.
 */
export function changeEvent(
  change: WatchedChange,
  object: KubernetesObject,
  mode: "Reference" | "Resource",
  server: string,
): CloudEvent {
  const { apiVersion, kind } = object;
  const { namespace = "", name } = object.metadata;
  const family = mode === "Resource" ? "resource" : "ref";
  const data = mode === "Resource" ? object : { kind, ...(namespace ? { namespace } : {}), name, apiVersion };
  return {
    attributes: {
      specversion: "1.0",
      type: `dev.knative.apiserver.${family}.${verbs[change]}`,
      source: server,
      // Cluster-scoped kinds have an empty namespace both here, which leaves a double slash, and below.
      subject: `/apis/${apiVersion}/namespaces/${namespace}/${guessPlural(kind)}/${name}`,
      datacontenttype: "application/json",
      kind,
      apiversion: apiVersion,
      name,
      namespace,
    },
    body: JSON.stringify(data),
  };
}
