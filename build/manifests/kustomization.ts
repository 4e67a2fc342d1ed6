import { toFile, toYaml } from "./yaml.ts";

/** A patch of a kustomization: operations of JSON Patch, or an object that is merged. */
export interface Patch {
  readonly target: {
    readonly group?: string;
    readonly kind: string;
    readonly name?: string;
    readonly labelSelector?: string;
  };
  readonly patch: readonly Operation[] | object;
}

/** An operation of JSON Patch. */
export interface Operation {
  readonly op: "add" | "replace" | "remove" | "test";
  readonly path: string;
  readonly value?: unknown;
}

/** What a kustomization brings together and changes. */
export interface KustomizationParts {
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly configMapGenerator?: readonly object[];
  readonly patches?: readonly Patch[];
}

/** Where what is generated for all functions together says it comes from. */
export const everyFunction = "functions/*/*";

/** The text of a `kustomization.yaml`; `about` is said at its head. */
export function kustomizationFile(
  kind: "Kustomization" | "Component",
  { patches, ...parts }: KustomizationParts,
  about?: string,
): string {
  const apiVersion = `kustomize.config.k8s.io/${kind === "Component" ? "v1alpha1" : "v1beta1"}`;
  const written = patches?.map(({ target, patch }) => ({ target, patch: toYaml(patch) }));
  const document = { apiVersion, kind, ...parts, ...(written ? { patches: written } : {}) };
  return toFile(everyFunction, [toYaml(document)], about);
}
