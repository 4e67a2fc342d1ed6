import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../shared/kubernetes/object.ts";
import { defaultFeatures, type Features } from "./features.ts";
import { eventingKinds } from "./kinds.ts";
import { type AppendPatch, appended, readAppendPatches } from "./manifest/append-patches.ts";
import { type EventingKind, isEventing, readPlan } from "./manifest/read-plan.ts";
import { Unobeyable } from "./manifest/unobeyable.ts";

/** An object and the file it was written in. */
export interface Manifest {
  readonly file: string;
  readonly object: KubernetesObject;
}

/**
 * Reads all Kubernetes objects in YAML files, or folders of them. A folder with a kustomization is read as its
 * `resources` and `components` say, any other one whole; patches that append to lists are made in all that is read.
 * Throws {@link Unobeyable} that names the file: YAML that cannot be parsed, a kustomization that does more, and
 * objects of Knative Eventing that cannot be obeyed.
 */
export function readManifests(paths: readonly string[], features: Partial<Features> = {}): Manifest[] {
  const patches: AppendPatch[] = [];
  const manifests = paths
    .flatMap((path) => filesOf(path, patches))
    .flatMap(readFile)
    .map(({ file, object }) => ({ file, object: appended(object, patches) }));
  for (const { file, object } of manifests) check(file, object, { ...defaultFeatures, ...features });
  return manifests;
}

const kustomizations = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/** The files of a path; what its kustomizations patch goes to `patches`. */
function filesOf(path: string, patches: AppendPatch[]): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path).sort();
  const kustomization = entries.find((entry) => kustomizations.includes(entry));
  const paths = kustomization
    ? listedBy(join(path, kustomization), patches)
    : entries
        .map((entry) => join(path, entry))
        .filter((entry) => statSync(entry).isDirectory() || /\.ya?ml$/.test(entry));
  return paths.flatMap((one) => filesOf(one, patches));
}

function listedBy(file: string, found: AppendPatch[]): string[] {
  return documentsOf(file).flatMap((document) => {
    const { apiVersion: _, kind: __, metadata: ___, resources = [], components = [], patches = [], ...rest } = document;
    const further = Object.keys(rest);
    if (further.length) {
      throw new Unobeyable(
        `${file}: ${further.join(", ")} of a kustomization is not obeyed. ` +
          "Give the output of kubectl kustomize instead.",
      );
    }
    try {
      found.push(...readAppendPatches(patches, parse));
    } catch (error) {
      if (error instanceof Unobeyable) throw new Unobeyable(`${file}: ${error.message}`, { cause: error });
      throw error;
    }
    return [...(resources as string[]), ...(components as string[])].map((path) => join(dirname(file), path));
  });
}

function readFile(file: string): Manifest[] {
  return documentsOf(file).flatMap((document) => {
    const objects = document.kind === "List" ? (document.items as KubernetesObject[]) : [document as KubernetesObject];
    return objects.map((object) => ({ file, object }));
  });
}

function documentsOf(file: string): Record<string, unknown>[] {
  const documents = parseAllDocuments(readFileSync(file, "utf8"));
  if ("empty" in documents) return [];
  return documents.flatMap((document) => {
    const error = document.errors[0];
    if (error) throw new Unobeyable(`${file}: ${error.message}`);
    const value: unknown = document.toJS();
    if (value === null || value === undefined) return [];
    if (typeof value === "object" && !Array.isArray(value)) return [value as Record<string, unknown>];
    throw new Unobeyable(`${file}: a document is no object.`);
  });
}

/** Groups of Knative Eventing: a kind of theirs that is not known here must not be passed over. */
const group = /^(eventing|sources|messaging|flows|sinks)\.knative\.dev\//;

function check(file: string, object: KubernetesObject, features: Features): void {
  if (typeof object.apiVersion !== "string" || typeof object.kind !== "string" || !object.metadata?.name) {
    throw new Unobeyable(`${file}: an object needs apiVersion, kind and metadata.name.`);
  }
  try {
    if (isEventing(object)) readPlan(object.kind as EventingKind, object, features);
    else if (group.test(object.apiVersion)) {
      const known = eventingKinds.map(({ apiVersion, kind }) => `${kind} (${apiVersion})`).join(", ");
      throw new Unobeyable(
        `${object.kind} ${object.metadata.name} (${object.apiVersion}) is not obeyed; ${known} are.`,
      );
    }
  } catch (error) {
    if (error instanceof Unobeyable) throw new Unobeyable(`${file}: ${error.message}`, { cause: error });
    throw error;
  }
}
