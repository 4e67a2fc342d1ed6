import { expect, test } from "vitest";
import { evictedReport } from "../../functions/eviction/lib/report.ts";
import { countersOf } from "./counters.ts";

test("the counters of an eviction become a sentence, and another message stays as it is", () => {
  const counters = { migrated: 3, unhandleable_agent: false };
  expect(countersOf(evictedReport("Evicting", { counters }).message)).toBe("migrated: 3, unhandleable_agent: false");
  expect(countersOf("Moved.")).toBe("Moved.");
});
