import { type Invariant, isClaim, isOurs } from "./invariant.ts";

/** A claim is written only in the version that the same process has read: a verdict about another one, or an older state of it, is none. */
export const writesOntoWhatWasRead: Invariant = {
  name: "writes-onto-what-was-read",
  check(change) {
    if (!isOurs(change) || !isClaim(change) || !change.before) return undefined;
    const { name, resourceVersion, uid } = change.before.metadata;
    const { knows } = change.by.process;
    if (!knows.includes(`"${uid}"`))
      return `Claim ${name} was written although ${change.by.name} has never seen this one.`;
    return knows.includes(`"resourceVersion":"${resourceVersion}"`)
      ? undefined
      : `Claim ${name} was written in version ${resourceVersion}, which ${change.by.name} has not seen.`;
  },
};
