import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { findReferences, putImages } from "../resolve/references.ts";
import { buildKustomization } from "../resolve/sources.ts";
import type { ReleasedImages } from "./images.ts";

/** The overlays of a repository that are installed by themselves: not what is a component of another one. */
export const overlaysOf = (root: string): readonly string[] =>
  globSync("knative/overlays/*/kustomization.yaml", { cwd: root })
    .map((file) => dirname(file).split(/[\\/]/).at(-1) as string)
    .sort();

/** What `kubectl apply -f` takes of an overlay, with images by digest. @throws UserError where there is no kubectl */
export async function overlayYaml(root: string, overlay: string, images: ReleasedImages): Promise<string> {
  const source = await buildKustomization(join(root, "knative/overlays", overlay));
  const names = [...images.digests.keys()];
  const references = findReferences(source, names);
  const byName = new Map(names.map((name) => [name, `${images.repository}/${name}@${images.digests.get(name)}`]));
  return putImages(source.text, references, byName);
}
