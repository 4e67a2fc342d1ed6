import { expect, test } from "vitest";
import type { Standing } from "./evacuation.ts";
import { evacuationReport, removalReport } from "./report.ts";

const standing = (step: Standing["step"], stuck = false): Standing => ({ step, because: "It waits.", stuck });

test.each<[Standing, string, string, string]>([
  [standing("mark"), "False", "InProgress", "It waits."],
  [standing("await-empty"), "False", "InProgress", "It waits."],
  [standing("await-empty", true), "False", "Error", "Error: It waits."],
  [standing("unmark"), "True", "Completed", "It waits."],
  [standing("remove"), "True", "Completed", "It waits."],
  [standing("remove", true), "False", "Error", "Error: It waits."],
  [standing("done"), "True", "Completed", "It waits."],
])("%j", (given, status, reason, message) => {
  expect(evacuationReport(given)).toEqual(
    ["SatelliteEvacuated", "EvacuationCompleted"].map((type) => ({ type, status, reason, message })),
  );
});

test("the removal is done last", () => {
  expect(removalReport(standing("remove"))).toMatchObject({ type: "SatelliteDeleted", status: "False" });
  expect(removalReport(standing("evacuate", true))).toMatchObject({ reason: "Error", message: "Error: It waits." });
  expect(removalReport(standing("done"))).toMatchObject({ status: "True" });
});
