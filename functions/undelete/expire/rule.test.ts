import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Volume } from "../../../shared/storage/volume.ts";
import { expire } from "./rule.ts";

const now = Date.parse("2026-01-02T00:00:00Z");
const claimRef = { namespace: "shop", name: "data", uid: "claim" };

interface Changes {
  readonly at?: string;
  readonly ref?: Partial<typeof claimRef> | null;
  readonly policy?: string;
  readonly was?: string;
  readonly deleting?: boolean;
}

function volume({ at, ref, policy = "Retain", was = "Delete", deleting = false }: Changes): Volume {
  const note = {
    v: 1,
    uid: "volume",
    step: ref === null ? "offered" : "kept",
    since: "2026-01-01T00:00:00Z",
    next: "2026-01-01T12:00:00Z",
    because: "It is kept.",
    policy: was,
    for: "24h",
    claim: claimRef,
    namespaceUid: "shop",
    right: 1,
  };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: "pv",
      uid: "volume",
      resourceVersion: "7",
      ...(deleting ? { deletionTimestamp: "2026-01-01T23:00:00Z" } : {}),
      annotations: {
        "holdfast.dev/undelete.note": JSON.stringify(note),
        ...(at === undefined ? {} : { "holdfast.dev/reclaim-at": at }),
      },
    },
    spec: {
      claimRef: ref === null ? { namespace: "shop", name: "data" } : { ...claimRef, ...ref },
      persistentVolumeReclaimPolicy: policy,
    },
    status: { phase: ref === null ? "Available" : "Released" },
  };
}

const claim = (uid: string, volumeName?: string) =>
  ({ metadata: { uid }, spec: { ...(volumeName ? { volumeName } : {}) } }) as never;
const specOf = (one: Volume, its?: never) =>
  expire
    .decide({ volume: one, claim: its }, now, {})
    .flatMap((decision) => (decision.do === "write" ? decision.writes : []))
    .map((write) => (write.verb === "patch" ? (write.patch as { spec?: object }).spec : undefined))
    .find((spec) => spec !== undefined);

const due = "2026-01-01T12:00:00Z";
const back = { persistentVolumeReclaimPolicy: "Delete", claimRef: { uid: "claim" } };

describe("expire", () => {
  test.each([
    { what: "due and released", one: volume({ at: due }), spec: back },
    { what: "due and offered", one: volume({ at: due, ref: null }), spec: back },
    {
      what: "Retain all along",
      one: volume({ at: due, was: "Retain" }),
      spec: { ...back, persistentVolumeReclaimPolicy: "Retain" },
    },
    { what: "not due yet", one: volume({ at: "2026-01-03T00:00:00Z" }), spec: undefined },
    { what: "without a time", one: volume({}), spec: undefined },
    { what: "with a time that cannot be read", one: volume({ at: "tomorrow" }), spec: undefined },
    { what: "bound by another claim", one: volume({ at: due, ref: { uid: "other" } }), spec: undefined },
    { what: "reserved for another name", one: volume({ at: due, ref: { name: "other" } }), spec: undefined },
    { what: "being deleted", one: volume({ at: due, deleting: true }), spec: undefined },
  ])("a volume that is $what", ({ one, spec }) => {
    expect(specOf(one)).toEqual(spec);
  });

  test.each([
    { what: "without a volume", its: claim("new"), spec: undefined },
    { what: "that asks for this one", its: claim("new", "pv"), spec: undefined },
    { what: "with another volume", its: claim("new", "other"), spec: back },
  ])("an offered volume beside a claim of its name $what", ({ its, spec }) => {
    expect(specOf(volume({ at: due, ref: null }), its)).toEqual(spec);
  });

  test("never hands back what is not due, whatever else is so", () => {
    const times = fc.date({ min: new Date(now + 1), max: new Date(now + 1e12), noInvalidDate: true });
    fc.assert(
      fc.property(times, fc.boolean(), fc.constantFrom("Delete", "Retain", "Recycle"), (time, isOffered, policy) => {
        const one = volume({ at: time.toISOString(), policy, ...(isOffered ? { ref: null } : {}) });
        expect(specOf(one)).toBeUndefined();
      }),
    );
  });
});
