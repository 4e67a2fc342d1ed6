import type { Kind } from "./kubernetes/kind.ts";

/** One object. */
export interface ObjectSubject {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name: string;
  readonly members?: undefined;
  /** The sweep asks, and for more than a change does; requests that share a run share it, too. */
  readonly resync?: boolean;
}

/** All objects of a kind in a namespace, judged together; in the cluster where there is no namespace. */
export interface ScopeSubject {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name?: undefined;
  /** Objects that the event pointed at, by name; requests that share a run add theirs. A hint, never a limit. */
  readonly members?: readonly string[];
  readonly resync?: boolean;
}

/** What a rule judges in one run; requests for the same kind, namespace and name share runs. */
export type Subject = ObjectSubject | ScopeSubject;

/** Whether the subject is one object. */
export const isObject = (subject: Subject): subject is ObjectSubject => subject.name !== undefined;

/**
 * What of all requests that share a run is to be looked at: all their members, or the whole scope where one did not
 * name any. `undefined` for none.
 */
export function merged(subjects: readonly Subject[]): Subject | undefined {
  const [first] = subjects;
  if (!first) return undefined;
  const resync = subjects.some((subject) => subject.resync);
  if (isObject(first)) return { ...first, resync };
  const { members: _, ...scope } = first;
  if (subjects.some(({ members }) => !members)) return { ...scope, resync };
  return { ...scope, resync, members: [...new Set(subjects.flatMap(({ members }) => members ?? []))] };
}

/** The same for requests that may share a run. */
export const keyOf = ({ kind, namespace, name }: Subject): string =>
  JSON.stringify([kind.apiVersion, kind.plural, namespace, name]);

/** `Pod shop/web-0`, for the log. */
export const nameOf = ({ kind, namespace, name }: Subject): string =>
  [kind.kind, [namespace, name].filter(Boolean).join("/")].filter(Boolean).join(" ");
