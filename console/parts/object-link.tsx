import { Link } from "wouter";
import { pathOfObject } from "../../functions/platform/lib/console/object-page.ts";
import type { ObjectReference } from "../../shared/kubernetes/object.ts";

/** An object by its name, which leads to all that is known of it. */
export function ObjectLink({
  to,
  children,
}: {
  readonly to: Pick<ObjectReference, "kind" | "namespace" | "name">;
  readonly children?: React.ReactNode;
}) {
  return <Link href={pathOfObject(to)}>{children ?? (to.namespace ? `${to.namespace}/${to.name}` : to.name)}</Link>;
}
