import * as z from "zod";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/** The annotation on the sweep's table that says how far the sweep has come. */
const sweepKey = "holdfast.dev/platform.sweep";

const status = z.looseObject({ uid: z.string(), at: z.string(), because: z.string() });

/** When the sweep came last, and what it says of itself. */
export function sweptAt({ metadata }: KubernetesObject): { readonly at: string; readonly because: string } | undefined {
  try {
    const read = status.parse(JSON.parse(metadata.annotations?.[sweepKey] ?? ""));
    return read.uid === metadata.uid ? { at: read.at, because: read.because } : undefined;
  } catch {
    return undefined;
  }
}

/** The dead-lettered events in the ring buffer, the oldest first. Their keys begin with the time. */
export function deadLetteredEvents(data: Readonly<Record<string, string>> = {}): readonly { readonly at: string }[] {
  return Object.keys(data)
    .toSorted()
    .flatMap((key) => {
      const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)-/.exec(key) ?? [];
      return year ? [{ at: `${year}-${month}-${day}T${hour}:${minute}:${second}Z` }] : [];
    });
}
