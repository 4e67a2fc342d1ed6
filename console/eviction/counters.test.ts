import { expect, test } from "vitest";
import { evictedReport } from "../../functions/eviction/lib/report.ts";
import { countersOf } from "./counters.ts";

test("the counters of an eviction become a sentence, and another message stays as it is", () => {
  const counters = {
    migrated: 3,
    migratable: 0,
    pending: 1,
    in_progress: 0,
    unhandleable: 0,
    unhandleable_agent: false,
  };
  expect(countersOf(evictedReport("Evicting", { counters }).message)).toBe(
    "migrated: 3, migratable: 0, pending: 1, in_progress: 0, unhandleable: 0, unhandleable_agent: false",
  );
  expect(countersOf("Moved.")).toBe("Moved.");
});
