import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

interface FieldsOfManager {
  readonly manager?: string;
  readonly time?: string;
  readonly fieldsV1?: { readonly "f:metadata"?: { readonly "f:annotations"?: Readonly<Record<string, unknown>> } };
}

/**
 * Who has set an annotation, and when that manager last wrote: the API server notes it of each field. The annotation
 * may be older than that.
 */
export function setBy(
  object: KubernetesObject,
  key: string,
): { readonly manager: string; readonly time?: string } | undefined {
  const managed = (object.metadata.managedFields ?? []) as readonly FieldsOfManager[];
  const own = managed.find(({ fieldsV1 }) => fieldsV1?.["f:metadata"]?.["f:annotations"]?.[`f:${key}`] !== undefined);
  return own && { manager: own.manager ?? "an unnamed manager", ...(own.time ? { time: own.time } : {}) };
}
