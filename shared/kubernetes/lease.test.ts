import { expect, test } from "vitest";
import { dateLease, heldUntil, Lease, type LeaseObject, takeLease } from "./lease.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const claimant = { namespace: "holdfast", name: "node-0", holder: "satellite/evacuate", seconds: 180 };
const lease = (spec?: LeaseObject["spec"]): LeaseObject => ({
  apiVersion: Lease.apiVersion,
  kind: "Lease",
  metadata: { name: "node-0", namespace: "holdfast", uid: "l1", resourceVersion: "7" },
  ...(spec ? { spec } : {}),
});
const held = { holderIdentity: "somebody", renewTime: "2026-03-01T11:59:00.000000Z", leaseDurationSeconds: 180 };

test.each([
  ["no Lease", undefined, undefined],
  ["an empty one", lease(), undefined],
  ["one that was given back", lease({ ...held, holderIdentity: "" }), undefined],
  ["one that has run out", lease({ ...held, leaseDurationSeconds: 60 }), undefined],
  ["one that is held", lease(held), now + 120_000],
  ["one of a clock far ahead", lease({ ...held, renewTime: "2027-01-01T00:00:00.000000Z" }), now + 180_000],
  ["one without a duration", lease({ holderIdentity: "x", renewTime: held.renewTime }), now - 60_000 + 86_400_000],
  ["one without a time", lease({ holderIdentity: "x" }), Number.POSITIVE_INFINITY],
])("%s", (_, seen, until) => expect(heldUntil(seen, now)).toBe(until));

test("a clock that is behind takes no Lease for one of a clock far ahead", () => {
  const behind = now - 3_600_000;
  const managedFields = [{ time: "2026-03-01T11:59:00Z" }];
  const written = { ...lease(held), metadata: { ...lease().metadata, managedFields } };
  expect(heldUntil(written, behind)).toBe(now + 120_000);
  expect(dateLease(written, behind)).toEqual([]);
  const ahead = { ...written, spec: { ...held, renewTime: "2027-01-01T00:00:00.000000Z" } };
  expect(dateLease(ahead, behind)).toMatchObject([{ patch: { spec: { renewTime: "2026-03-01T11:59:00.000000Z" } } }]);
});

test("a Lease that is dated again keeps its holder, and has a duration", () => {
  const [write] = dateLease(lease({ holderIdentity: "x", renewTime: "2027-01-01T00:00:00.000000Z" }), now);
  expect(write).toMatchObject({ patch: { spec: { holderIdentity: "x", leaseDurationSeconds: 86_400 } } });
});

test("a Lease is created where there is none, and then it is held", () => {
  const write = takeLease(undefined, claimant, now);
  expect(write).toMatchObject({ verb: "create", object: { metadata: { namespace: "holdfast", name: "node-0" } } });
  const made = { ...lease(), ...(write.verb === "create" ? { spec: write.object.spec } : {}) } as LeaseObject;
  expect(heldUntil(made, now)).toBe(now + 180_000);
  expect(heldUntil(made, now + 180_000)).toBeUndefined();
});

test("a free one is taken as it was read, so that of two one fails", () => {
  expect(takeLease(lease(), claimant, now)).toMatchObject({
    verb: "patch",
    patch: { metadata: { uid: "l1", resourceVersion: "7" }, spec: { holderIdentity: "satellite/evacuate" } },
  });
});
