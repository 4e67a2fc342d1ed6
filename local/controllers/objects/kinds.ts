import type { Kind } from "../../../shared/kubernetes/kind.ts";

export const ServiceAccount = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  namespaced: true,
} as const;
export const CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
} as const;

/** A kind by what identifies it: `v1 Pod`, `apps/v1 StatefulSet`. */
export function kindKey({ apiVersion, kind }: Pick<Kind, "apiVersion" | "kind">): string {
  return `${apiVersion} ${kind}`;
}
