import type { Objects } from "../api/use-list.ts";

/** Why objects are not known, as a sentence; `undefined` where they are. */
export function whyUnread(list: Objects<unknown>): string | undefined {
  if (list.is === "loading") return "Being read.";
  if (list.is === "absent") return "Not installed.";
  return list.is === "refused" ? list.message : undefined;
}
