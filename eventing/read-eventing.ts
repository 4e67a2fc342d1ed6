import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "../shared/kubernetes/object.ts";
import { isEventing } from "./manifest/read-plan.ts";
import { Unobeyable } from "./manifest/unobeyable.ts";
import { readManifests } from "./read-manifests.ts";

/**
 * The objects in the YAML files of a folder. Of a folder that a ConfigMap is mounted to, what begins with a dot is the
 * kubelet's: the same files once more.
 *
 * @throws Unobeyable that names the file, also for an object of a kind that this program does not obey.
 */
export function readEventing(folder: string): readonly KubernetesObject[] {
  const files = namesIn(folder)
    .filter((name) => /^[^.].*\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(folder, name));
  if (files.length === 0) throw new Unobeyable(`${folder}: there is no YAML file.`);
  return readManifests(files, features).map(({ file, object }) => {
    if (!isEventing(object))
      throw new Unobeyable(`${file}: ${object.kind} ${object.metadata.name} is not for this folder.`);
    return object;
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new Unobeyable(`${folder}, where EVENTING says that the YAML files are, cannot be read.`, { cause });
  }
}

/** Everything that does no harm is on. */
export const features = { sourceFilters: true, retryAfter: false } as const;
