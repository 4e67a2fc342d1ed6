import type { ObjectReference } from "../../shared/kubernetes/object.ts";

/** The address of an object's page: `/object/<kind>/<namespace or _>/<name>`. */
export const pathOfObject = ({ kind, namespace, name }: Pick<ObjectReference, "kind" | "namespace" | "name">): string =>
  `/object/${[kind, namespace || "_", name].map(encodeURIComponent).join("/")}`;
