/** Every way to get the name of one field of an object wrong, with the path of the field. */
export function misspellings<T extends object>(object: T): readonly { readonly path: string; readonly spoilt: T }[] {
  return fieldsOf(object, []).map((path) => {
    const spoilt = structuredClone(object);
    const parent = path
      .slice(0, -1)
      .reduce<Record<string, unknown>>(
        (node, step) => node[step] as Record<string, unknown>,
        spoilt as Record<string, unknown>,
      );
    const key = path.at(-1) as string;
    parent[`${key}x`] = parent[key];
    delete parent[key];
    return { path: path.join("."), spoilt };
  });
}

function fieldsOf(node: unknown, path: readonly string[]): readonly (readonly string[])[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    const at = [...path, key];
    return [...(Array.isArray(node) ? [] : [at]), ...fieldsOf(value, at)];
  });
}
