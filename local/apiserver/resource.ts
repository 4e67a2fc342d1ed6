import type { Column } from "../../shared/kubernetes/custom-kind.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";

/** A resource that is served without a CustomResourceDefinition, namespaced unless it says otherwise. */
export const resource = (
  apiVersion: string,
  kind: string,
  plural: string,
  more: Partial<Omit<Resource, "apiVersion" | "kind" | "plural">> = {},
): Resource => ({ apiVersion, kind, plural, singular: kind.toLowerCase(), namespaced: true, ...more });

/** One resource the server serves: what discovery says of it and what the registry needs to know. */
export interface Resource extends Kind {
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** `status`, `scale`, `binding`, `eviction`, `finalizers`, `token`, ... */
  readonly subresources?: readonly string[];
  /** From a CustomResourceDefinition, with its OpenAPI v3 schema. */
  readonly custom?: { readonly schema: Record<string, unknown>; readonly printerColumns?: readonly Column[] };
}
