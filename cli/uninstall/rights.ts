import type { Client } from "../../shared/kubernetes/client.ts";
import { groupOf, type Kind, Namespace, Pod } from "../../shared/kubernetes/kind.ts";
import { lackingRights, type Right } from "../../shared/kubernetes/lacking-rights.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Rule } from "../../shared/rule.ts";
import { type Held, removable } from "../../shared/uninstall/held-objects.ts";
import { leftToUndo } from "../../shared/uninstall/undo-left-behind.ts";
import type { Finding } from "../output/finding.ts";
import type { Installed } from "./installed.ts";

/** The rights that the user lacks to uninstall this; `undefined` where none is lacking. @throws ApiError */
export async function lackingToUninstall(
  client: Client,
  installed: Readonly<Record<string, readonly Installed[]>>,
  rules: readonly Rule[],
  held: readonly Held[],
): Promise<Finding | undefined> {
  const rights = rightsToUninstall(installed, removable(held), await leftToUndo(client, rules));
  const missing = await lackingRights(client, rights);
  if (!missing) return undefined;
  return { what: `You may not: ${missing}.`, todo: "Uninstall with an account that has these rights." };
}

/**
 * It deletes what is installed, lets go what is held, and undoes what the rules leave behind, `left`. The namespace
 * goes last: without the right to delete it, nothing else stays.
 */
function rightsToUninstall(
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
