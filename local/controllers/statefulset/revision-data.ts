import { createHash } from "node:crypto";
import type { RevisionObject, SetObject } from "./set.ts";

/** What a revision remembers of a set: a patch that brings its template back. */
export function revisionData({ spec }: SetObject): RevisionObject["data"] {
  const template = { ...spec.template, $patch: "replace" };
  return JSON.parse(canonical({ spec: { template } }));
}

/** The template that a revision remembers. */
export function templateOf({ data }: RevisionObject): SetObject["spec"]["template"] {
  const { $patch: _, ...template } = data.spec.template as SetObject["spec"]["template"] & { $patch?: string };
  return template;
}

/** Whether two revisions remember the same. */
export function remembersSame(left: RevisionObject["data"], right: RevisionObject["data"]): boolean {
  return canonical(left) === canonical(right);
}

/** The end of a revision's name. */
export const revisionHash = (data: RevisionObject["data"]): string =>
  createHash("sha256").update(canonical(data)).digest("hex").slice(0, 10);

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
