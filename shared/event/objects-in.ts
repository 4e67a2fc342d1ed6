import type { Kind } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { progressKey } from "../progress.ts";
import type { ObjectSubject } from "../subject.ts";
import type { Hint } from "./hint.ts";

/** The one of these kinds that an object, or the object of an event, is of; `undefined` for another one. */
export const kindAmong = (
  kinds: readonly Kind[],
  { apiVersion, kind }: Pick<KubernetesObject, "apiVersion" | "kind">,
): Kind | undefined => kinds.find((one) => one.kind === kind && one.apiVersion === apiVersion);

/**
 * The object of an event, unless it is gone, where it is of one of the kinds and `cares` says so in the state that the
 * event shows, which may be out of date by now. An event that does not show it always counts, and so does an object on
 * which the rule `clears`, where one is named, has written something down.
 */
export function objectsIn<Found extends KubernetesObject>(
  hint: Hint,
  kinds: readonly Kind[],
  cares: (object: Found) => boolean = () => true,
  clears?: string,
): readonly ObjectSubject[] {
  const kind = kindAmong(kinds, hint);
  if (!kind || hint.change === "delete") return [];
  const { namespace, name, object } = hint;
  const isNoted = clears !== undefined && object?.metadata.annotations?.[progressKey(clears)] !== undefined;
  if (object && !isNoted && !cares(object as Found)) return [];
  const asksMore = hint.change === "sweep" ? { resync: true } : {};
  return [{ kind, name, ...(namespace ? { namespace } : {}), ...asksMore }];
}
