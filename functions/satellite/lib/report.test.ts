import { expect, test } from "vitest";
import type { Standing } from "../../../shared/chain/chain.ts";
import { evacuationReport } from "./report.ts";
import { aSatellite } from "./testing/seen.ts";

const standing = (step: string, more: Partial<Standing> = {}): Standing => ({
  step,
  message: "It waits.",
  stuck: false,
  ...more,
});
const alive = aSatellite({ deleting: false });

test.each<[Standing, string, string, string]>([
  [standing("mark"), "False", "InProgress", "It waits."],
  [standing("await-empty"), "False", "InProgress", "It waits."],
  [standing("await-empty", { stuck: true }), "False", "Error", "Error: It waits."],
  [standing("mark", { away: "LINSTOR" }), "Unknown", "Away", "It waits."],
  [standing("unmark"), "True", "Completed", "It waits."],
  [standing("remove"), "True", "Completed", "It waits."],
  [standing("remove", { stuck: true }), "False", "Error", "Error: It waits."],
  [standing("done"), "True", "Completed", "It waits."],
])("%j", (given, status, reason, message) => {
  expect(evacuationReport(given, alive)).toEqual(
    ["SatelliteEvacuated", "EvacuationCompleted"].map((type) => ({ type, status, reason, message })),
  );
});

test("the removal of a satellite that is being deleted is done last", () => {
  const removal = (given: Standing) => evacuationReport(given, aSatellite())[2];
  expect(removal(standing("remove"))).toMatchObject({ type: "SatelliteDeleted", status: "False" });
  expect(removal(standing("evacuate", { stuck: true }))).toMatchObject({
    reason: "Error",
    message: "Error: It waits.",
  });
  expect(removal(standing("mark", { away: "LINSTOR" }))).toMatchObject({ status: "Unknown", reason: "Away" });
  expect(removal(standing("done"))).toMatchObject({ status: "True" });
});
