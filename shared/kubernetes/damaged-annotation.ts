import { z } from "zod";
import type { KubernetesObject } from "./object.ts";
import { readAnnotation, readOwnAnnotation } from "./read-annotation.ts";

const owned = z.looseObject({ uid: z.string() });

/**
 * Whether an annotation that names its object by uid is there and cannot be read: what names another object was copied,
 * and is no damage.
 */
export const isOwnDamaged = (object: KubernetesObject, key: string, schema: typeof owned): boolean =>
  object.metadata.annotations?.[key] !== undefined &&
  !readOwnAnnotation(object, key, schema) &&
  [undefined, object.metadata.uid].includes(readAnnotation(object, key, owned)?.uid);
