import { groupOf } from "../../../shared/kubernetes/kind.ts";
import type { Call } from "../request/call.ts";
import type { ResourcePath } from "../request/parse.ts";

/** What a user wants to do with a resource, as roles allow it. */
export interface Attributes {
  readonly verb: string;
  readonly group: string;
  /** Plural, with the subresource after a slash. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** What a user wants to do with a path that is no resource. */
export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

/** The one name that a list or a watch selects: roles allow it as they allow what has this name. */
export function nameSelectedBy(verb: string, query: URLSearchParams): Pick<Attributes, "name"> {
  if (verb !== "list" && verb !== "watch") return {};
  const [, name] = /(?:^|,)metadata\.name==?([^,=\\]+)(?:,|$)/.exec(query.get("fieldSelector") ?? "") ?? [];
  return name ? { name } : {};
}

/** The attributes of a request for something in a group. A namespace counts as being inside itself. */
export function attributesOf(verb: string, wanted: Omit<ResourcePath, "version"> | Call): Attributes {
  const { namespace, name, subresource } = wanted;
  const [group, plural] =
    "resource" in wanted ? [groupOf(wanted.resource), wanted.resource.plural] : [wanted.group, wanted.plural];
  const scope = group === "" && plural === "namespaces" ? name : namespace;
  return {
    verb,
    group,
    resource: subresource ? `${plural}/${subresource}` : plural,
    ...(scope ? { namespace: scope } : {}),
    ...(name ? { name } : {}),
  };
}
