import { Link } from "wouter";
import { type Named, pathOfObject } from "../../functions/platform/lib/console/object-page.ts";
import type { Pod } from "../../shared/storage/pod-claims.ts";

/** How people write the name of an object. */
export const nameOf = ({ namespace, name }: Named): string => (namespace ? `${namespace}/${name}` : name);

/** An object by its name, which leads to all that is known of it. */
export function ObjectLink({ to, children }: { readonly to: Named; readonly children?: React.ReactNode }) {
  return <Link href={pathOfObject(to)}>{children ?? nameOf(to)}</Link>;
}

/** A pod, and the node that it runs on, once it does. */
export function PodOnNode({ pod: { metadata, spec } }: { readonly pod: Pod }) {
  const { namespace, name } = metadata;
  return (
    <>
      <ObjectLink to={{ kind: "Pod", namespace, name }}>{name}</ObjectLink>
      {spec.nodeName && (
        <>
          {" "}
          on <ObjectLink to={{ kind: "Node", name: spec.nodeName }} />
        </>
      )}
    </>
  );
}
