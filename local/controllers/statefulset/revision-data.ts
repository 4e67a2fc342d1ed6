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

/**
 * The end of a revision's name: Kubernetes' own, so that both controllers know each other's revisions. FNV-1 over the
 * data as Go writes it and the number of collisions, of which none are counted here, in letters that spell no words.
 */
export function revisionHash(data: RevisionObject["data"]): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${canonical(data)}0`)) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  return [...String(hash)].map((digit) => letters[digit.charCodeAt(0) % letters.length]).join("");
}

const letters = "bcdfghjklmnpqrstvwxz2456789";

/** JSON with sorted keys and with what HTML minds escaped, as Go writes a map. */
function canonical(value: unknown): string {
  const text = JSON.stringify(value, (_, member: unknown) =>
    member && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
  return text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
