import { join } from "node:path";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { readManifests } from "../knative/read-manifests.ts";
import type { StartOptions } from "./options.ts";

const folder = join(import.meta.dirname, "../../knative");

/** All that `knative/` installs by default, or one component of it, as a path below it. */
export const objectsIn = (component = "."): readonly KubernetesObject[] =>
  readManifests([join(folder, component)]).map(({ object }) => object);

/** All that `knative/` installs by default, as it was asked for. */
export function defaultInstall({ loseAllEvents }: StartOptions): readonly KubernetesObject[] {
  const objects = objectsIn();
  return loseAllEvents ? objects.filter(({ kind }) => kind !== "ApiServerSource").map(sweptOften) : objects;
}

/** Every other second; a tick must be over before the next one comes. */
const schedule = "*/2 * * * * *";
const tick = "1";

type Template = { template: { spec: { containers: { env?: { name: string; value?: string }[] }[] } } };

function sweptOften(object: KubernetesObject): KubernetesObject {
  if (object.kind === "PingSource") return { ...object, spec: { ...(object.spec as object), schedule } };
  if (object.kind !== "Service" || object.metadata.name !== "platform-sweep") return object;
  const sweep = structuredClone(object) as KubernetesObject & { spec: Template };
  for (const { env = [] } of sweep.spec.template.spec.containers)
    for (const variable of env) if (variable.name === "TICK") variable.value = tick;
  return sweep;
}
