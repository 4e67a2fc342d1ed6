import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { forbidden } from "../failure.ts";
import { definitions } from "../kinds/serve-definitions.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";

/** What a definition that is being deleted defines takes nothing new. Throws 403. */
export function checkDefinition({ store }: State, { resource }: Call, { metadata }: KubernetesObject): void {
  if (!resource.custom) return;
  const definition = store.get(definitions, `${resource.plural}.${resource.apiVersion.split("/")[0]}`);
  if (!definition?.object.metadata.deletionTimestamp) return;
  const why = "create not allowed while custom resource definition is terminating";
  throw forbidden(resource, metadata.name ?? "", why);
}
