import { type DeclaredWrites, isDeclared } from "./declared-writes.ts";
import type { PatchType } from "./kubernetes/client.ts";
import type { Condition } from "./kubernetes/condition.ts";

/** What a patch changes of an object: one entry of a {@link DeclaredWrites} list each. */
export interface Written {
  readonly of: keyof DeclaredWrites;
  /** A key, a finalizer, the kind of an owner (empty where the patch does not say), a field's path, or a condition. */
  readonly name: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** What a patch changes, as far as it says. Pure. */
export function writesOf(type: PatchType, patch: unknown): readonly Written[] {
  return type === "json" ? ofOperations(patch as readonly Operation[]) : ofObject(patch as Fields);
}

/** What of a patch a rule has not declared. */
export function undeclared(written: readonly Written[], declared: readonly DeclaredWrites[]): readonly Written[] {
  const entries = declared.flatMap(declaredEntries);
  return written.filter((one) => !entries.some((entry) => isMadeBy(entry, one)));
}

/** Each key, finalizer, kind of owner and field that is declared. */
export function declaredEntries(declared: DeclaredWrites): readonly Written[] {
  return (Object.keys(declared) as (keyof DeclaredWrites)[]).flatMap((of) =>
    (declared[of] ?? []).map((name) => ({ of, name })),
  );
}

/** Whether what a patch changes is what this entry of a declaration is about. */
export function isMadeBy(entry: Written, { of, name }: Written): boolean {
  if (of !== entry.of) return false;
  if (of === "fields") return name === entry.name || name.startsWith(`${entry.name}.`);
  return isDeclared([entry.name], name) || (of === "ownerReferences" && name === "");
}

const keysOf = (of: "annotations" | "labels", map: unknown) =>
  Object.keys((map ?? {}) as Fields).map((name): Written => ({ of, name }));

const finalizersIn = (list: unknown) =>
  ((list ?? []) as readonly string[]).map((name): Written => ({ of: "finalizers", name }));

const ownersIn = (list: unknown) =>
  ((list ?? []) as readonly { kind: string }[]).map(({ kind }): Written => ({ of: "ownerReferences", name: kind }));

/** What says which object it is for changes nothing. */
function ofObject({ apiVersion: _, kind: __, metadata = {}, ...rest }: Fields): readonly Written[] {
  const { annotations, labels, finalizers, ownerReferences, ...others } = metadata as Fields;
  const { name: ___, namespace: ____, uid: _____, resourceVersion: ______, ...changed } = others;
  const { conditions, ...status } = (rest.status ?? {}) as Fields;
  return [
    ...keysOf("annotations", annotations),
    ...keysOf("labels", labels),
    ...finalizersIn(finalizers),
    ...ownersIn(ownerReferences),
    ...fieldsIn(changed, "metadata."),
    ...((conditions ?? []) as readonly Condition[]).map(({ type }): Written => ({ of: "conditions", name: type })),
    ...fieldsIn({ ...rest, status }, ""),
  ];
}

function fieldsIn(value: Fields, path: string): readonly Written[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const isInner = typeof inner === "object" && inner !== null && !Array.isArray(inner);
    return isInner ? fieldsIn(inner as Fields, `${path}${name}.`) : [{ of: "fields", name: `${path}${name}` }];
  });
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

function ofOperations(operations: readonly Operation[]): readonly Written[] {
  const tested = new Map(operations.flatMap(({ op, path, value }) => (op === "test" ? [[path, value] as const] : [])));
  return operations.flatMap(({ op, path, value }): readonly Written[] => {
    if (op === "test") return [];
    const [top = "", map = "", key] = path.split("/").slice(1).map(unescaped);
    if (top !== "metadata") return [{ of: "fields", name: path.split("/").slice(1).map(unescaped).join(".") }];
    const whole = { [map]: key === undefined ? value : op === "remove" ? [tested.get(path) ?? ""] : [value] };
    if (map === "finalizers") return finalizersIn(whole.finalizers);
    if (map === "ownerReferences" && op === "remove") return [{ of: "ownerReferences", name: "" }];
    if (map === "ownerReferences") return ownersIn(whole.ownerReferences);
    if (map !== "annotations" && map !== "labels") return [{ of: "fields", name: `metadata.${map}` }];
    return key === undefined ? keysOf(map, value) : [{ of: map, name: key }];
  });
}

const unescaped = (step: string) => step.replaceAll("~1", "/").replaceAll("~0", "~");
