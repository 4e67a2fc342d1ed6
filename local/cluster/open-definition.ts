import type { Column } from "../../shared/kubernetes/custom-kind.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";

interface OpenDefinitionOptions {
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly columns?: readonly Column[];
}

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/**
 * A CustomResourceDefinition of a namespaced kind, as far as kubectl and the rules need it: any spec
 * and any status are let through.
 */
export function openDefinition(
  { apiVersion, kind, plural }: Kind,
  { shortNames, categories, columns }: OpenDefinitionOptions = {},
) {
  const [group, version] = apiVersion.split("/");
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        kind,
        plural,
        singular: kind.toLowerCase(),
        listKind: `${kind}List`,
        ...(shortNames ? { shortNames } : {}),
        ...(categories ? { categories } : {}),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
          ...(columns ? { additionalPrinterColumns: columns } : {}),
        },
      ],
    },
  };
}
