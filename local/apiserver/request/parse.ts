/** What a URL path of the API asks for, before anyone looked whether it is served. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/**
 * Takes `/api/v1/...` and `/apis/<group>/<version>/...` apart. `undefined` for all that names no resource: discovery,
 * health, unknown roots.
 */
export function parsePath(pathname: string): ResourcePath | undefined {
  const [root, ...rest] = pathname.split("/").slice(1).map(decodeURIComponent);
  if (rest.at(-1) === "") rest.pop();
  if (root === "api") return parts("", rest);
  if (root === "apis" && rest.length > 1) return parts(rest[0]!, rest.slice(1));
  return undefined;
}

function parts(group: string, [version, ...rest]: string[]): ResourcePath | undefined {
  if (!version || rest.length === 0) return undefined;
  const base = { group, version };
  if (rest[0] !== "namespaces" || rest.length < 3) return named(base, rest);
  const [, namespace, plural] = rest as [string, string, string];
  if (group === "" && (plural === "status" || plural === "finalize")) {
    return { ...base, plural: "namespaces", name: namespace, subresource: plural };
  }
  return named({ ...base, namespace }, rest.slice(2));
}

function named(
  base: { group: string; version: string; namespace?: string },
  [plural, name, ...subresource]: string[],
): ResourcePath {
  return {
    ...base,
    plural: plural!,
    ...(name ? { name } : {}),
    ...(subresource.length > 0 ? { subresource: subresource.join("/") } : {}),
  };
}
