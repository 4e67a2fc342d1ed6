import type { ResourcePath } from "../request/parse.ts";

/** What somebody wants to do with a resource, as roles allow it. */
export interface Attributes {
  readonly verb: string;
  readonly group: string;
  /** Plural, with the subresource after a slash. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** What somebody wants to do with a path that is no resource. */
export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

/** The attributes of a request. A namespace counts as being inside itself. */
export function attributesOf(verb: string, { group, plural, namespace, name, subresource }: ResourcePath): Attributes {
  const scope = group === "" && plural === "namespaces" ? name : namespace;
  return {
    verb,
    group,
    resource: subresource ? `${plural}/${subresource}` : plural,
    ...(scope ? { namespace: scope } : {}),
    ...(name ? { name } : {}),
  };
}
