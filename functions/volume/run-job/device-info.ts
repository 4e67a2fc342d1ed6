import * as z from "zod";
import type { VolumeObject } from "../lib/volume.ts";
import { type DeviceInfo, isPathOf } from "./persistent-volume-of.ts";

/** What `metalk8s_volumes.prepare` returns, among more. */
const deviceInfo = z.object({ size: z.string().regex(/^[1-9]\d{0,18}$/), path: z.string() });

/** Size and path in what a node has returned; `undefined` where they are none of this very Volume's storage. */
export function readDeviceInfo(volume: VolumeObject, value: unknown): DeviceInfo | undefined {
  const { data } = deviceInfo.safeParse(value);
  return data && isPathOf(volume, data.path) ? data : undefined;
}

/**
 * Whether this is what `metalk8s_volumes.unprepare` returns for this very Volume. A minion runs an id once: of two jobs
 * that have got the same one it has run the other. Where the module is of an earlier release it returns no uid.
 */
export const isTakenBack = ({ metadata }: VolumeObject, value: unknown): boolean =>
  z.union([z.looseObject({ uid: z.literal(metadata.uid) }), z.strictObject({ changed: z.boolean() })]).safeParse(value)
    .success;
