import { isDeepStrictEqual } from "node:util";

type Fields = Readonly<Record<string, unknown>>;

/** Lists of a DaemonSet whose elements the Kubernetes API merges by a key; all others are replaced whole. */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  volumes: "name",
  env: "name",
  ports: "containerPort",
  volumeMounts: "mountPath",
  volumeDevices: "devicePath",
  imagePullSecrets: "name",
  hostAliases: "ip",
  topologySpreadConstraints: "topologyKey",
};

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Applies a strategic merge patch to a DaemonSet or to a part of one, as the API server does: null removes, lists with
 * a key are merged by it, and `$patch: delete` and `$patch: replace` say so of an object or of an element. Other
 * directives are refused.
 *
 * @throws Error with a sentence that says what the patch asks for and nobody can do.
 */
export function strategicMerge(target: Fields, patch: Fields): Fields {
  const { $patch: directive, ...changes } = patch;
  if (directive === "delete") return {};
  if (directive === "replace") return changes;
  if (directive !== undefined && directive !== "merge")
    throw new Error(`The patch has the unknown $patch: ${directive}.`);
  const merged: Record<string, unknown> = { ...target };
  for (const [field, value] of Object.entries(changes)) {
    if (field.startsWith("$")) throw new Error(`The patch has the directive ${field}, which is not known here.`);
    const present = merged[field];
    if (value === null) delete merged[field];
    else if (isFields(value) && "$patch" in value && present === undefined) continue;
    else merged[field] = mergedValue(field, present, value);
  }
  return merged;
}

function mergedValue(field: string, present: unknown, value: unknown): unknown {
  if (isFields(present) && isFields(value)) return strategicMerge(present, value);
  const key = mergeKeys[field];
  if (key && Array.isArray(value)) return mergedList(key, Array.isArray(present) ? present : [], value);
  return withoutDirectives(value);
}

function mergedList(key: string, present: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
  const keyOf = (item: unknown) => (isFields(item) ? item[key] : undefined);
  for (const item of patch)
    if (keyOf(item) === undefined && !(isFields(item) && item.$patch === "replace"))
      throw new Error(`The patch has an element without ${key}: ${JSON.stringify(item)}.`);
  const directed = (directive: string) => patch.filter((item) => isFields(item) && item.$patch === directive);
  const gone = directed("delete").map(keyOf);
  const plain = patch.filter((item): item is Fields => isFields(item) && (item.$patch ?? "merge") === "merge");
  const base = directed("replace").length > 0 ? [] : present.filter((item) => !gone.includes(keyOf(item)));
  const named = plain.map((item) => {
    const found = base.find((one) => isDeepStrictEqual(keyOf(one), keyOf(item)));
    return isFields(found) ? strategicMerge(found, item) : withoutDirectives(item);
  });
  return arranged(named, base, keyOf);
}

/**
 * What the patch names comes in its order; the rest stays before what it stood before, and comes last where it stood
 * before nothing.
 */
function arranged(named: readonly unknown[], base: readonly unknown[], keyOf: (item: unknown) => unknown) {
  const others = base.filter((item) => !named.some((one) => isDeepStrictEqual(keyOf(one), keyOf(item))));
  const place = (item: unknown) => base.findIndex((one) => isDeepStrictEqual(keyOf(one), keyOf(item)));
  const list: unknown[] = [];
  for (const item of named) {
    while (others.length > 0 && place(item) >= 0 && place(others[0]) < place(item)) list.push(others.shift());
    list.push(item);
  }
  return [...list, ...others];
}

/** What is new comes without nulls, and without what only says that something is to go. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !(isFields(item) && "$patch" in item)).map(withoutDirectives);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, member]) => member !== null && key !== "$patch" && !(isFields(member) && "$patch" in member),
  );
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutDirectives(member)]));
}
