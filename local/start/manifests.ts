import { join } from "node:path";
import { readManifests } from "../../eventing/read-manifests.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { StartOptions } from "./options.ts";
import { sweptOften } from "./swept-often.ts";

const folder = join(import.meta.dirname, "../../knative");

/** All that `knative/` installs by default, or these components of it together, as paths below it. */
export const objectsIn = (...components: readonly string[]): readonly KubernetesObject[] =>
  readManifests((components.length > 0 ? components : ["."]).map((path) => join(folder, path))).map(
    ({ object }) => object,
  );

/** All that `knative/` installs by default and by these components, as it was asked for. */
export function defaultInstall(
  { loseAllEvents }: StartOptions,
  components: readonly string[] = [],
): readonly KubernetesObject[] {
  const objects = objectsIn(".", ...components);
  return loseAllEvents ? objects.filter(({ kind }) => kind !== "ApiServerSource").map(sweptOften) : objects;
}
