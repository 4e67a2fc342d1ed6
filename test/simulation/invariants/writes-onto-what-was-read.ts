import { isDeepStrictEqual } from "node:util";
import type { Change } from "../../harness/simulated/change.ts";
import { readByNewerVersion } from "../../harness/simulated/newer-version.ts";
import type { Process } from "../../harness/simulated/process.ts";
import { type Invariant, isOurs } from "./invariant.ts";

/**
 * An object is written only in the version that the same process has read: a verdict about another one, or an older
 * state of it, is none. Events are for people, and go by their name. A change of one annotation rests on no verdict
 * where its very text is one that the process has seen: a note of a call in flight changes, or goes, when that is
 * answered. The process may take back a text that it has written without hearing the answer: it goes, or becomes one
 * that the process has seen.
 */
export const writesOntoWhatWasRead: Invariant = {
  name: "writes-onto-what-was-read",
  check(change) {
    if (!isOurs(change) || !change.before || change.object.kind === "Event") return undefined;
    const { name, resourceVersion, uid, deletionGracePeriodSeconds: grace } = change.before.metadata;
    // A pod that is deleted without grace is marked first, and removed, by the one request.
    if (!change.after && grace === 0) return undefined;
    const { knows } = change.by.process;
    const what = `${change.object.kind} ${name}`;
    if (!knows.includes(`"${uid}"`)) return `${what} was written although ${change.by.name} has never seen this one.`;
    return knows.includes(`"resourceVersion":"${resourceVersion}"`) || changesKnownNote(change, knows)
      ? undefined
      : `${what} was written in version ${resourceVersion}, which ${change.by.name} has not seen.`;
  },
};

function changesKnownNote({ before, beforeBy, after, by }: Change, knows: Process["knows"]): boolean {
  if (!before || !after) return false;
  const [was, is] = [before.metadata.annotations ?? {}, after.metadata.annotations ?? {}];
  const changed = Object.keys(was).filter((key) => is[key] !== was[key]);
  const [key = ""] = changed;
  const { [key]: text = "", ...rest } = was;
  const { [key]: textNow, ...restNow } = is;
  const isSeen = (note: string) =>
    [JSON.stringify(note), readByNewerVersion(JSON.stringify(note))].some((seen) => knows.includes(seen));
  const { resourceVersion: _, managedFields: __, ...others } = before.metadata as typeof before.metadata & Managed;
  const { resourceVersion: ___, managedFields: ____, ...now } = after.metadata as typeof after.metadata & Managed;
  return (
    changed.length === 1 &&
    (isSeen(text) || (beforeBy?.process === by.process && (textNow === undefined || isSeen(textNow)))) &&
    isDeepStrictEqual(
      { ...before, metadata: { ...others, annotations: rest } },
      { ...after, metadata: { ...now, annotations: restNow } },
    )
  );
}

interface Managed {
  readonly managedFields?: unknown;
}
