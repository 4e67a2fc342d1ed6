import { z } from "zod";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Features } from "../features.ts";
import { compileFilters, type Filter } from "../filter/filter.ts";
import { type Destination, destination } from "./destination.ts";
import { filters } from "./filters.ts";
import { metadata } from "./metadata.ts";
import { overrides } from "./overrides.ts";
import { labelSelector } from "./selector.ts";
import { readWith } from "./unobeyable.ts";

/** What an ApiServerSource asks for. */
export interface ApiServerSourcePlan {
  readonly namespace: string;
  readonly name: string;
  readonly resources: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    /** Label selector as the API server takes it; absent when everything is watched. */
    readonly selector?: string | undefined;
  }[];
  readonly mode: "Reference" | "Resource";
  /** Only objects whose controller is of this kind. */
  readonly owner?: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** Label selector of the namespaces, empty for all of them; absent: the source's own namespace. */
  readonly namespaceSelector?: string | undefined;
  readonly serviceAccount: string;
  readonly sink: Destination;
  /** Extensions set on each event. */
  readonly extensions: Readonly<Record<string, string>>;
  readonly filter: Filter;
  /** Do not check permissions, and begin again whenever any watch ends. */
  readonly failFast: boolean;
}

const skipPermissions = "features.knative.dev/apiserversource-skip-permissions-check";

const apiVersion = z.string().regex(/^([^/\s]+\/)?[^/\s]+$/, "is no apiVersion");
const kind = z.string().trim().min(1);

/** Reads an ApiServerSource; throws `Unobeyable`. */
export function readApiServerSource(object: KubernetesObject, features: Features): ApiServerSourcePlan {
  const schema = z
    .looseObject({
      metadata: metadata([skipPermissions]),
      spec: z.strictObject({
        resources: z.array(z.strictObject({ apiVersion, kind, selector: labelSelector.optional() })).min(1),
        mode: z.enum(["Reference", "Resource"]).default("Reference"),
        owner: z.strictObject({ apiVersion, kind }).optional(),
        namespaceSelector: labelSelector.optional(),
        serviceAccountName: z.string().min(1).default("default"),
        sink: destination,
        ceOverrides: overrides.optional(),
        filters: features.sourceFilters
          ? filters.optional()
          : z
              .array(z.unknown())
              .max(0, "needs the feature new-apiserversource-filters, which is off by default in Knative")
              .transform(() => [])
              .optional(),
      }),
    })
    .transform(({ metadata, spec }) => ({
      namespace: metadata.namespace,
      name: metadata.name,
      resources: spec.resources,
      mode: spec.mode,
      owner: spec.owner,
      namespaceSelector: spec.namespaceSelector,
      serviceAccount: spec.serviceAccountName,
      sink: spec.sink,
      extensions: spec.ceOverrides?.extensions ?? {},
      filter: compileFilters(spec.filters ?? []),
      failFast: metadata.annotations[skipPermissions] === "true",
    }));
  return readWith(schema, object);
}
