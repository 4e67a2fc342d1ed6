import type { output, ZodType } from "zod";
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
