import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import type { Dependent } from "./dependent.ts";

/** What letting a resource go waits for, in a sentence that begins with why it may go. */
export function whileLettingGo({ object, pods }: Dependent, why: string): string {
  if (pods.length > 0)
    return `${why}. Waiting for pods to go: ${pods.map(({ metadata }) => metadata.name).join(", ")}.`;
  return isBeingDeleted(object)
    ? `${why} and its pods are gone: the lock is removed from the Node, and the resource is released.`
    : `${why}, and its pods and its lock are gone. They come back when the L2 or OVN agent of the Node is ready.`;
}

/** Takes the label off the Node by which another operator's pods come: it deletes them then, and creates none. */
export function unschedule({ object, node }: Dependent): readonly Write[] {
  const key = object.spec.selector?.schedulingLabel.key;
  const isOn = key !== undefined && node?.metadata.labels?.[key] !== undefined;
  return isOn && node ? [annotate(Node, node, {}, { [key]: null })] : [];
}

/** Between two looks that find a host or an agent empty, in milliseconds: something may have been on its way to it. */
export const emptyTwiceAfter = 5000;
