import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Eventing } from "./eventing.ts";

/** Whether every ApiServerSource among these objects, which were declared, sees changes. */
export function sourcesWatch(eventing: Pick<Eventing, "standing">, objects: readonly KubernetesObject[]): boolean {
  return objects
    .filter(({ kind }) => kind === "ApiServerSource")
    .every(({ metadata: { namespace = "default", name } }) => {
      const standing = eventing.standing("ApiServerSource", namespace, name);
      return standing?.kind === "ApiServerSource" && standing.adapter === "running";
    });
}
