import { groupOf, type Kind, Pod } from "../../shared/kubernetes/kind.ts";
import type { Rule } from "../../shared/rule.ts";
import type { Held } from "../../shared/uninstall/held-objects.ts";
import type { Right } from "../cluster/lacking-rights.ts";
import type { Installed } from "./installed.ts";

/** It deletes what is installed, lets go what is held, and undoes what the rules leave behind. */
export function rightsToUninstall(
  installed: Readonly<Record<string, readonly Installed[]>>,
  rules: readonly Pick<Rule, "leavesBehind">[],
  held: readonly Held[],
): readonly Right[] {
  const right = (verb: string, kind: Kind, namespace?: string): Right => ({
    verb,
    group: groupOf(kind),
    resource: kind.plural,
    ...(namespace ? { namespace } : {}),
  });
  const undone = rules.flatMap(({ leavesBehind = [] }) => leavesBehind).filter(({ undo }) => undo);
  return [
    right("list", Pod),
    ...Object.values(installed).flatMap((objects) =>
      objects.map(({ kind, object }) => right("delete", kind, object.metadata.namespace)),
    ),
    ...[...undone, ...held.map(({ hold }) => hold)].map(({ kind }) => right("patch", kind)),
  ];
}
