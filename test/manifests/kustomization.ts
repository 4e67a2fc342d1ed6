import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";
import { type AppendPatch, appended, readAppendPatches } from "../../eventing/manifest/append-patches.ts";
import { Unobeyable } from "../../eventing/manifest/unobeyable.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

export const root = resolve(import.meta.dirname, "../..");

/** The folder of the default install, relative to the repository. */
export const standard = "knative/overlays/default";

const schema = z.strictObject({
  apiVersion: z.string().regex(/^kustomize\.config\.k8s\.io\/v1(alpha1|beta1)$/),
  kind: z.enum(["Kustomization", "Component"]),
  namespace: z.string().optional(),
  resources: z.array(z.string()).default([]),
  components: z.array(z.string()).default([]),
  images: z
    .array(
      z.strictObject({
        name: z.string(),
        newName: z.string().optional(),
        digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
      }),
    )
    .default([]),
  configMapGenerator: z
    .array(
      z.strictObject({
        name: z.string(),
        namespace: z.string(),
        behavior: z.literal("merge").optional(),
        files: z.array(z.string()).min(1),
        options: z
          .strictObject({
            labels: z.record(z.string(), z.string()).optional(),
            disableNameSuffixHash: z.literal(true).optional(),
          })
          .optional(),
      }),
    )
    .default([]),
  patches: z
    .array(
      z.strictObject({
        target: z.strictObject({
          group: z.string().optional(),
          kind: z.string(),
          name: z.string().optional(),
          labelSelector: z.string().optional(),
        }),
        patch: z.string(),
      }),
    )
    .default([]),
  replacements: z
    .array(
      z.strictObject({
        source: z.strictObject({ kind: z.string(), name: z.string(), fieldPath: z.string() }),
        targets: z.array(
          z.strictObject({
            select: z.strictObject({ kind: z.string(), name: z.string() }),
            fieldPaths: z.array(z.string()),
            options: z.strictObject({ delimiter: z.string(), index: z.int() }).optional(),
          }),
        ),
      }),
    )
    .default([]),
});

/** A kustomization's own fields, and the objects it brings together, before its patches. */
export interface Kustomization extends z.output<typeof schema> {
  /** With what nested components append to their lists; other patches of theirs are not made. */
  readonly objects: readonly KubernetesObject[];
}

/**
 * Follows a kustomization's resources and components (a folder relative to the repository), under the rules that
 * kustomize has for them: files lie beneath the folder, folders may lie anywhere but above it.
 *
 * @throws Error that names the kustomization at fault.
 */
export function readKustomization(folder: string): Kustomization {
  const file = join(root, folder, "kustomization.yaml");
  const [document, ...more] = readYaml(file);
  if (more.length > 0) throw new Error(`${file} has more than one document.`);
  const kustomization = schema.parse(document);
  const parts = [...kustomization.resources, ...kustomization.components].map((entry) => {
    const path = resolve(root, folder, entry);
    const above = !relative(path, join(root, folder)).startsWith("..");
    if (!existsSync(path)) throw new Error(`${file}: there is no ${entry}.`);
    if (statSync(path).isDirectory()) {
      if (above) throw new Error(`${file}: ${entry} lies above.`);
      return readKustomization(relative(root, path));
    }
    if (relative(join(root, folder), path).startsWith(".."))
      throw new Error(`${file}: the file ${entry} lies outside.`);
    return { objects: readYaml(path) as KubernetesObject[], patches: [] };
  });
  return { ...kustomization, objects: together(parts) };
}

/** The objects of folders of the repository that are installed together. */
export const readTogether = (folders: readonly string[]): readonly KubernetesObject[] =>
  together(folders.map(readKustomization));

function together(parts: readonly Pick<Kustomization, "objects" | "patches">[]): readonly KubernetesObject[] {
  const patches = parts.flatMap((part) => part.patches.flatMap(appendingOnly));
  return parts.flatMap(({ objects }) => objects).map((object) => appended(object, patches));
}

function appendingOnly(patch: Kustomization["patches"][number]): readonly AppendPatch[] {
  try {
    return readAppendPatches([patch], parse);
  } catch (error) {
    if (error instanceof Unobeyable) return [];
    throw error;
  }
}

const known = new Map<string, readonly unknown[]>();

/**
 * The documents of a YAML file of the repository, parsed once, because overlays list the same files again and again:
 * callers must not change what is returned. Throws when one is not valid, or when readers of YAML 1.1 would read it
 * otherwise than those of 1.2.
 */
function readYaml(file: string): readonly unknown[] {
  const documents = known.get(file) ?? parseYaml(readFileSync(file, "utf8"), file);
  known.set(file, documents);
  return documents;
}

/** The documents of a YAML text; `origin` names it in errors. */
export function parseYaml(text: string, origin: string): readonly unknown[] {
  const read = (version: "1.1" | "1.2") =>
    parseAllDocuments(text, { version, uniqueKeys: true }).map((document) => {
      const [fault] = [...document.errors, ...document.warnings];
      if (fault) throw new Error(`${origin}: ${fault.message}`);
      return document.toJS();
    });
  const documents = read("1.2");
  if (JSON.stringify(documents) !== JSON.stringify(read("1.1")))
    throw new Error(`${origin} means something else to readers of YAML 1.1.`);
  return documents.filter((document) => document !== null);
}
