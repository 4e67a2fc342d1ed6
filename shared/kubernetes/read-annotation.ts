import { type output, type ZodType, z } from "zod";
import type { KubernetesObject } from "./object.ts";

/** What an annotation says in JSON; `undefined` where it is not there, or says something else. */
export function readAnnotation<Schema extends ZodType>(
  { metadata }: KubernetesObject,
  key: string,
  schema: Schema,
): output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(metadata.annotations?.[key] ?? "null")).data;
  } catch {
    return undefined;
  }
}

/** The same of one that names its object by uid: what was copied from another object counts as none. */
export function readOwnAnnotation<Schema extends ZodType<{ readonly uid: string }>>(
  object: KubernetesObject,
  key: string,
  schema: Schema,
): output<Schema> | undefined {
  const written = readAnnotation(object, key, schema);
  return written?.uid === object.metadata.uid ? written : undefined;
}

const owned = z.looseObject({ uid: z.string() });

/** Whether such an annotation is there and cannot be read: what names another object was copied, and is no damage. */
export const isOwnDamaged = (object: KubernetesObject, key: string, schema: typeof owned): boolean =>
  object.metadata.annotations?.[key] !== undefined &&
  !readOwnAnnotation(object, key, schema) &&
  [undefined, object.metadata.uid].includes(readAnnotation(object, key, owned)?.uid);
