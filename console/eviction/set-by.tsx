import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { Age } from "../parts/age.tsx";

interface FieldsOfManager {
  readonly manager?: string;
  readonly time?: string;
  readonly fieldsV1?: { readonly "f:metadata"?: Readonly<Record<string, object>> };
}

interface SetByProps {
  readonly object: KubernetesObject;
  readonly field: "annotations" | "labels";
  readonly name: string;
}

/**
 * Who has set an annotation or a label, and when at the latest: the API server notes of each field who wrote it, and
 * when they last wrote any of theirs. It calls a writer without a name `unknown`.
 */
export function SetBy({ object, field, name }: SetByProps) {
  const managed = (object.metadata.managedFields ?? []) as readonly FieldsOfManager[];
  const own = managed.find(({ fieldsV1 }) =>
    Object.hasOwn(fieldsV1?.["f:metadata"]?.[`f:${field}`] ?? {}, `f:${name}`),
  );
  if (!own) return null;
  const { manager = "unknown", time } = own;
  return (
    <>
      , set{manager !== "unknown" && ` by ${manager}`}
      {time && (
        <>
          {" "}
          <Age at={time} /> or earlier
        </>
      )}
    </>
  );
}
