import type { Decision } from "../../../../shared/decision.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import type { Claim, Volume } from "../../../../shared/storage/volume.ts";
import type { Note } from "../note.ts";

/** The time of tests, in milliseconds since the epoch. */
export const now = Date.parse("2026-01-02T00:00:00Z");
const claimRef = { namespace: "shop", name: "data", uid: "claim" };

/** What is so of a volume of claim `data` that is not so of most. */
export interface Changes {
  readonly name?: string;
  /** `next` is the kit's, and `v` the version of the note's format. */
  readonly note?: (Partial<Note> & { readonly next?: string; readonly v?: number }) | null;
  readonly annotations?: Readonly<Record<string, string>>;
  /** `null`: offered, without a uid. */
  readonly ref?: Partial<typeof claimRef> | null;
  readonly policy?: string;
  readonly phase?: string;
  readonly deleting?: boolean;
}

/** A volume whose claim `data` of namespace `shop` is gone, kept by us for a day, and due at noon of the day before. */
export function volume({ name = "pv", note = {}, annotations, ref, policy = "Retain", phase, deleting }: Changes = {}) {
  const noted = {
    v: 1,
    uid: name,
    step: ref === null ? "offered" : "kept",
    since: "2026-01-01T00:00:00Z",
    because: "It is kept.",
    policy: "Delete",
    for: "24h",
    claim: claimRef,
    namespaceUid: "shop",
    right: 1,
    ...note,
  };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name,
      uid: name,
      resourceVersion: "7",
      ...(deleting ? { deletionTimestamp: "2026-01-01T23:00:00Z" } : {}),
      labels: {
        ...(note ? { "holdfast.dev/volume-of": "shop" } : {}),
        ...(note && ref === null ? { "holdfast.dev/offered-of": claimRef.uid } : {}),
      },
      annotations: { ...(note ? { "holdfast.dev/undelete.note": JSON.stringify(noted) } : {}), ...annotations },
    },
    spec: {
      claimRef: ref === null ? { namespace: "shop", name: "data" } : { ...claimRef, ...ref },
      persistentVolumeReclaimPolicy: policy,
      storageClassName: "standard",
    },
    status: { phase: phase ?? (ref === null ? "Available" : "Released") },
  } satisfies Volume;
}

/** An object of one of the kinds that say how long a volume is kept. */
export function saying(name: string, keep?: string, more: object = {}): KubernetesObject {
  const annotations = keep === undefined ? {} : { "holdfast.dev/keep-volume-for": keep };
  return { apiVersion: "v1", kind: "Any", metadata: { name, uid: name, resourceVersion: "1", annotations, ...more } };
}

/** Claim `data`, with a volume or without. */
export const claim = (uid: string, volumeName?: string, keep?: string, more: object = {}): Claim => ({
  ...saying("data", keep, { namespace: "shop", ...more, uid }),
  spec: volumeName ? { volumeName } : {},
});

/**
 * What a decision does to a volume: the step that it names, what its patch says of annotations and spec, and its Event.
 */
export function done(decision: Decision | undefined) {
  if (decision?.do !== "write") return decision?.do;
  const [write] = decision.writes;
  const patch = (write?.verb === "patch" ? write.patch : {}) as { metadata?: { annotations?: object }; spec?: object };
  const step = typeof decision.step === "object" ? decision.step.name : undefined;
  return {
    ...(step ? { step } : {}),
    ...(patch.spec ? { spec: patch.spec } : {}),
    ...(patch.metadata?.annotations ? { annotations: patch.metadata.annotations } : {}),
    ...(decision.event ? { event: decision.event.reason } : {}),
  };
}
