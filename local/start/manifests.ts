import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { Complaint } from "./complaint.ts";

/** What `kubectl apply -k` finds in a folder, in its order, as far as a kustomization only lists resources and components. */
export async function readManifests(folder: string): Promise<KubernetesObject[]> {
  const file = join(folder, "kustomization.yaml");
  const { resources = [], components = [], apiVersion, kind, ...rest } = parse(await readFile(file, "utf8"));
  const [unknown] = Object.keys(rest);
  if (unknown) throw new Complaint(`${file} has ${unknown}, which is not obeyed here; "kubectl kustomize" would.`);
  const objects: KubernetesObject[] = [];
  for (const entry of [...resources, ...components] as string[]) {
    const path = join(folder, entry);
    objects.push(...(/\.ya?ml$/.test(entry) ? await readFileObjects(path) : await readManifests(path)));
  }
  return objects;
}

async function readFileObjects(file: string): Promise<KubernetesObject[]> {
  const documents = parseAllDocuments(await readFile(file, "utf8"));
  const [fault] = documents.flatMap(({ errors }) => errors);
  if (fault) throw new Complaint(`${file}: ${fault.message}`);
  return documents.map((document) => document.toJS()).filter(Boolean);
}
