import type { ObjectReference } from "../../../../shared/kubernetes/object.ts";

/** The address of an object's page in the console: `/object/<kind>/<namespace or _>/<name>`. */
export const pathOfObject = ({ kind, namespace, name }: Pick<ObjectReference, "kind" | "namespace" | "name">): string =>
  `/object/${[kind, namespace || "_", name].map(encodeURIComponent).join("/")}`;

/** Whether a text is such an address: a browser is sent to no other. */
export const isObjectPage = (path: string): boolean =>
  /^(?:\/[\w.~%!'()*-]+){4}$/.test(path) && path.startsWith("/object/");
