import type { Attributes } from "../event/cloud-event.ts";

/** The extension in which a broker counts how often an event may still come back as a reply. */
export const ttlExtension = "knativebrokerttl";

/** What a broker starts counting from. */
const firstTtl = 255;

/**
 * The time to live that an incoming event is given: 255 for a new one, one less for one that came back; 0 is refused.
 */
export function nextTtl(attributes: Attributes): number {
  const text = attributes[ttlExtension];
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return firstTtl;
  return Math.max(0, Number(text) - 1);
}
