import { groupOf, type Kind } from "../../shared/kubernetes/kind.ts";

/** One verb on one resource, as text that can be compared. */
export function grant(kind: Kind, verb: string, subresource?: string): string {
  return `${verb} ${groupOf(kind)}/${kind.plural}${subresource ? `/${subresource}` : ""}`;
}

/** Everything that a Role or ClusterRole grants, sorted. */
export function grantsOf({
  rules,
}: {
  readonly rules: readonly { apiGroups: readonly string[]; resources: readonly string[]; verbs: readonly string[] }[];
}): readonly string[] {
  return rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.flatMap((path) => verbs.map((verb) => `${verb} ${group}/${path}`))),
    )
    .sort();
}
