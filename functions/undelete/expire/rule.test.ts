import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Volume } from "../../../shared/storage/volume.ts";
import { type Changes, claim, volume as noted, now } from "../lib/testing/volume.ts";
import { expire } from "./rule.ts";

/** A volume that is kept, with a time. */
const volume = ({ at, was = "Delete", ...changes }: Changes & { at?: string; was?: "Delete" | "Retain" }): Volume =>
  noted({
    ...changes,
    note: { policy: was, ...changes.note },
    annotations: { ...(at ? { "holdfast.dev/reclaim-at": at } : {}), ...changes.annotations },
  });
const specOf = (one: Volume, its?: ReturnType<typeof claim>) =>
  expire
    .decide({ volume: one, claim: its }, now, {})
    .flatMap((decision) => (decision.do === "write" ? decision.writes : []))
    .map((write) => (write.verb === "patch" ? (write.patch as { spec?: object }).spec : undefined))
    .find((spec) => spec !== undefined);

const due = "2026-01-01T12:00:00Z";
/** What a patch says of the spec: what is so already is not said again. */
const released = { persistentVolumeReclaimPolicy: "Delete" };
const back = { ...released, claimRef: { uid: "claim" } };

describe("expire", () => {
  test.each([
    { what: "due and released", one: volume({ at: due }), spec: released },
    { what: "due and offered", one: volume({ at: due, ref: null }), spec: back },
    {
      what: "due, with the former policy Retain",
      one: volume({ at: due, ref: null, was: "Retain" }),
      spec: { claimRef: { uid: "claim" } },
    },
    { what: "not due yet", one: volume({ at: "2026-01-03T00:00:00Z" }), spec: undefined },
    { what: "without a time", one: volume({}), spec: undefined },
    { what: "with a time that cannot be read", one: volume({ at: "tomorrow" }), spec: undefined },
    { what: "with a time that is a duration (+7)", one: volume({ at: "+7" }), spec: undefined },
    { what: "with a time that is not RFC 3339 (1.2.2026)", one: volume({ at: "1.2.2026" }), spec: undefined },
    { what: "due by a time that was written while it was bound", one: volume({ at: due, note: { step: "retained" } }) },
    { what: "bound by another claim", one: volume({ at: due, ref: { uid: "other" } }), spec: undefined },
    { what: "reserved for another name", one: volume({ at: due, ref: { name: "other" } }), spec: undefined },
    { what: "being deleted", one: volume({ at: due, deleting: true }), spec: undefined },
  ])("a volume that is $what", ({ one, spec }) => expect(specOf(one)).toEqual(spec));

  test.each([
    { what: "without a volume", its: claim("new"), spec: undefined },
    { what: "that asks for this one", its: claim("new", "pv"), spec: undefined },
    { what: "with another volume", its: claim("new", "other"), spec: back },
  ])("an offered volume beside a claim of its name $what", ({ its, spec }) =>
    expect(specOf(volume({ at: due, ref: null }), its)).toEqual(spec),
  );

  test.each([
    { what: "asks for it by its name", its: claim("new", "pv"), spec: undefined },
    { what: "has no volume", its: claim("new"), spec: released },
  ])("a kept volume that is not offered yet beside a claim of its name that $what", ({ its, spec }) =>
    expect(specOf(volume({ at: due }), its)).toEqual(spec),
  );

  test.each([
    { was: "Delete", reason: "VolumeReclaimed" },
    { was: "Retain", reason: "VolumeLeftReleased" },
  ] as const)("a due volume with the former policy $was gets the Event $reason", ({ was, reason }) => {
    const decisions = expire.decide({ volume: volume({ at: due, was }), claim: undefined }, now, {});
    expect(decisions).toMatchObject([{ event: { reason } }]);
  });

  const offer = (value: string) => ({ annotations: { "holdfast.dev/offer": value } });

  test.each([
    { what: "is kept", one: volume({ at: due, ...offer("yes") }) },
    { what: "waits for this permission", one: volume({ at: due, ...offer("yes"), note: { step: "asks" } }) },
    { what: "is offered already", one: volume({ at: due, ...offer("yes"), ref: null }), others: [] },
  ])("a due volume that $what stays while reserve has not seen a person's offer, and says so", ({ one, others }) => {
    // For an offered one such a claim is enough.
    for (const its of [undefined, claim("new", "other"), ...(others ?? [claim("new")])]) {
      const decisions = expire.decide({ volume: one, claim: its }, now, {});
      const message = expect.stringContaining("undelete/reserve");
      expect(decisions).toMatchObject([{ do: "stop", event: { reason: "ReclaimPostponed" }, message }]);
    }
  });

  test.each([
    { what: "that a person does not want offered", one: volume({ at: due, ...offer("no") }) },
    // Reserve leaves it alone, and would never remove the annotation.
    { what: "that is left to Kubernetes already", one: volume({ at: due, ...offer("yes"), policy: "Delete" }) },
  ])("a due volume $what is forgotten", ({ one }) =>
    expect(expire.decide({ volume: one, claim: undefined }, now, {})).toMatchObject([{ do: "write" }]),
  );

  test("an offer that reserve has not seen yet has no effect before the volume is due, or while a claim has it", () => {
    const early = volume({ at: "2026-01-03T00:00:00Z", ...offer("yes") });
    const taken = volume({ at: due, ...offer("yes"), ref: { uid: "new" } });
    for (const one of [early, taken])
      expect(expire.decide({ volume: one, claim: claim("new", "pv") }, now, {})).toEqual([]);
  });

  test("a volume that is not due is never reclaimed", () => {
    const times = fc.date({ min: new Date(now + 1), max: new Date(now + 1e12), noInvalidDate: true });
    fc.assert(
      fc.property(times, fc.boolean(), fc.constantFrom("Delete", "Retain", "Recycle"), (time, isOffered, policy) => {
        const one = volume({ at: time.toISOString(), policy, ...(isOffered ? { ref: null } : {}) });
        expect(specOf(one)).toBeUndefined();
      }),
    );
  });
});
