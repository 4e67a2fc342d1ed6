import { groupOf, type Kind, Namespace, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Held } from "../../shared/uninstall/held-objects.ts";
import type { Right } from "../cluster/lacking-rights.ts";
import type { Installed } from "./installed.ts";

/**
 * It deletes what is installed, lets go what is held, and undoes what the rules leave behind, `left`. The namespace
 * goes last: without the right to delete it, nothing else stays.
 */
export function rightsToUninstall(
  installed: Readonly<Record<string, readonly Installed[]>>,
  held: readonly Held[],
  left: readonly Installed[],
): readonly Right[] {
  const rights = (verb: string, of: readonly Installed[]) =>
    [...Map.groupBy(of, ({ kind }) => kind).entries()].map(([kind, each]) => rightTo(verb, kind, each));
  const released = held.map(({ hold, object }) => ({ kind: hold.kind, object }));
  return [
    rightTo("list", Pod, []),
    ...rights(
      "delete",
      Object.values(installed)
        .flat()
        .filter(({ kind }) => kind !== Namespace),
    ),
    ...rights("patch", [...left, ...released]),
  ];
}

const rightTo = (verb: string, kind: Kind, of: readonly { readonly object: KubernetesObject }[]): Right => ({
  ...{ verb, group: groupOf(kind), resource: kind.plural },
  of: of.map(({ object: { metadata } }) => ({ namespace: metadata.namespace, name: metadata.name })),
});
