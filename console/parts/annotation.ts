import { shellWord } from "../../shared/command/shell-word.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { ObjectMeta } from "../../shared/kubernetes/object.ts";
import type { Action } from "./act.tsx";

/** Sets one annotation of an object; null removes it. `word`: what kubectl calls its kind. */
export function annotation(
  kind: Kind,
  word: string,
  { namespace, name, uid }: Pick<ObjectMeta, "namespace" | "name" | "uid">,
  key: string,
  value: string | null,
): Pick<Action, "command" | "write"> {
  const where = namespace ? ` --namespace ${namespace}` : "";
  const change = value === null ? `${key}-` : `${shellWord(`${key}=${value}`)} --overwrite`;
  const patch = { metadata: { annotations: { [key]: value } } };
  return {
    command: `kubectl annotate ${word} ${name}${where} ${change}`,
    write: { verb: "patch", kind, ...(namespace ? { namespace } : {}), name, uid, patch },
  };
}
