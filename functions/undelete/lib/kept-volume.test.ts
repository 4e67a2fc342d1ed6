import { expect, test } from "vitest";
import { describeKept, keptVolumes } from "./kept-volume.ts";
import { now, volume } from "./testing/volume.ts";

test.each([
  ["its namespace is not the former one", "shop", "namespace shop is gone or is another one"],
  ["its note was overwritten, which says nothing of the namespace", "", "its note was overwritten"],
])("a volume that waits for a permission says why: %s", (_, namespaceUid, why) => {
  const asking = keptVolumes([volume({ note: { step: "asks", namespaceUid } })]).map((one) => describeKept(one, now));
  expect(asking).toEqual([
    expect.stringMatching(`^Volume pv is not offered until an administrator allows it, because ${why}\\.`),
  ]);
});

test("a volume that stays beyond its time for a claim of its name says so, and one with a new time does not", () => {
  const [kept] = keptVolumes([volume({ note: { step: "offered", warning: "ReclaimPostponed" } })]);
  const said = (due: number) => kept && describeKept({ ...kept, due }, now);
  expect(said(now)).toMatch(/It was due at 2026-01-02 00:00 UTC, and stays while claim shop\/data has no volume\.$/);
  expect(said(now + 1)).toMatch(/It is reclaimed \(Delete\) at 2026-01-02 00:00 UTC\.$/);
});
