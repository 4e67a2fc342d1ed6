import type { ZodObject } from "zod";
import type { CustomKind } from "../../../shared/kubernetes/custom-kind.ts";
import { groupOf } from "../../../shared/kubernetes/kind.ts";
import { type StructuralSchema, structuralSchema } from "./openapi.ts";

/**
 * With a definition go all objects of its kind, here the storage that they stand for: Flux and Argo CD are to leave it
 * where it is, also when it is taken out of what they apply.
 */
const kept = {
  "kustomize.toolkit.fluxcd.io/prune": "disabled",
  "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
};

/**
 * The CustomResourceDefinition of a kind, its schemas generated of zod's. It has none of the labels by which the rest
 * of an installation is selected, and deleted.
 *
 * @throws Error when a schema cannot be said in a structural schema.
 */
export function customResourceDefinition({ kind, doc, names = {}, versions }: CustomKind) {
  const group = groupOf(kind);
  const { singular = kind.kind.toLowerCase(), ...more } = names;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.plural}.${group}`, annotations: kept },
    spec: {
      group,
      scope: kind.namespaced ? "Namespaced" : "Cluster",
      names: { kind: kind.kind, listKind: `${kind.kind}List`, plural: kind.plural, singular, ...more },
      versions: versions.map(({ schema, columns, served = true, ...version }, index) => ({
        ...version,
        served,
        storage: index === 0,
        schema: { openAPIV3Schema: rootSchema(schema, doc) },
        ...(columns ? { additionalPrinterColumns: columns } : {}),
      })),
    },
  };
}

function rootSchema(schema: ZodObject, description: string): StructuralSchema {
  const { properties, ...rest } = structuralSchema(schema);
  const standard = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { type: "object" } };
  return { description, ...rest, properties: { ...standard, ...(properties as object) } };
}
