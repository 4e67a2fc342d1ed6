import type { Decision } from "../../../shared/decision.ts";
import type { VolumeObject } from "./volume.ts";
import { waiting } from "./waiting.ts";

/** By this annotation an admin gives up storage on a node that is gone for good; its value is the node's name. */
export const abandonStorage = "holdfast.dev/abandon-storage";

/** Whether an admin has given up the Volume's storage, should its node be gone. */
export const isAbandoned = ({ metadata, spec }: VolumeObject): boolean =>
  metadata.annotations?.[abandonStorage] === spec.nodeName;

/** Says that a node is gone that storage is to be taken back from, and what can be done. */
export function nodeGone(ruleName: string, volume: VolumeObject, now: number): Decision {
  const { metadata, spec } = volume;
  const because =
    `Node ${spec.nodeName} does not exist, so that the storage of Volume ${metadata.name} cannot be taken back. ` +
    "Bring the node back; or, if it is gone for good, give its storage up: kubectl annotate volume " +
    `${metadata.name} ${abandonStorage}=${spec.nodeName}`;
  return waiting(ruleName, volume, "node-missing", "Terminating", because, now);
}
