import { type Invariant, isOurs } from "./invariant.ts";

/**
 * An object is written only in the version that the same process has read: a verdict about another one, or an older
 * state of it, is none. Events are for people, and go by their name.
 */
export const writesOntoWhatWasRead: Invariant = {
  name: "writes-onto-what-was-read",
  check(change) {
    if (!isOurs(change) || !change.before || change.object.kind === "Event") return undefined;
    const { name, resourceVersion, uid } = change.before.metadata;
    const { knows } = change.by.process;
    const what = `${change.object.kind} ${name}`;
    if (!knows.includes(`"${uid}"`)) return `${what} was written although ${change.by.name} has never seen this one.`;
    return knows.includes(`"resourceVersion":"${resourceVersion}"`)
      ? undefined
      : `${what} was written in version ${resourceVersion}, which ${change.by.name} has not seen.`;
  },
};
