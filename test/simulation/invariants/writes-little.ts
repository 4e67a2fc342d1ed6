import { type Invariant, isOurs } from "./invariant.ts";

/** Our own writes come back as events: an object is written only when another client has changed something. */
export const writesLittle: Invariant = {
  name: "writes-little",
  check(change, { changes, writesAtFirst }) {
    if (!isOurs(change)) return undefined;
    const { name, uid } = change.object.metadata;
    const key = change.object.kind === "Event" ? name : uid;
    const about = (one: typeof change.object) => (one.kind === "Event" ? one.metadata.name : one.metadata.uid) === key;
    const ours = changes.filter((one) => isOurs(one) && about(one.object)).length;
    const others = changes.filter((one) => !isOurs(one) && one.object.kind !== "Event").length;
    return ours > writesAtFirst + others
      ? `${change.object.kind} ${name} was written ${ours} times by us, ` +
          `while others changed claims and pods ${others} times.`
      : undefined;
  },
};
