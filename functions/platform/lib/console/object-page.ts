import type { ObjectReference } from "../../../../shared/kubernetes/object.ts";

/** What the page of an object is found by. */
export type Named = Pick<ObjectReference, "kind" | "name"> & { readonly namespace?: string | undefined };

/** The address of an object's page in the console: `/object/<kind>/<namespace or _>/<name>`. */
export const pathOfObject = ({ kind, namespace, name }: Named): string =>
  `/object/${[kind, namespace || "_", name].map(encodeURIComponent).join("/")}`;

/** Whether a text is such an address: a browser is sent to no other. */
export const isObjectPage = (path: string): boolean =>
  /^(?:\/[\w.~%!'()*-]+){4}$/.test(path) && path.startsWith("/object/");
