import { expect, test } from "vitest";
import { describeKept, keptVolumes } from "./kept-volume.ts";
import { volume } from "./testing/volume.ts";

test.each([
  ["its namespace is not the former one", "shop", "namespace shop is gone or is another one"],
  ["its note was overwritten, which says nothing of the namespace", "", "its note was overwritten"],
])("a volume that waits for a permission says why: %s", (_, namespaceUid, why) => {
  const asking = keptVolumes([volume({ note: { step: "asks", namespaceUid } })]).map(describeKept);
  expect(asking).toEqual([
    expect.stringMatching(`^Volume pv is not offered until an administrator allows it, because ${why}\\.`),
  ]);
});
