import { describe, expect, test } from "vitest";
import { allToLatest, dealOut, traffic } from "./traffic.ts";

describe("spec.traffic", () => {
  test("says as much as it must", () => {
    expect(traffic.parse([])).toEqual(allToLatest);
    expect(traffic.parse([{ latestRevision: true, percent: 100 }])).toEqual(allToLatest);
    expect(
      traffic.parse([
        { revisionName: "release-00001", latestRevision: false, percent: 90 },
        { latestRevision: true, percent: 10, tag: "canary" },
        { revisionName: "release-00001", tag: "stable" },
      ]),
    ).toEqual([
      { revisionName: "release-00001", percent: 90 },
      { percent: 10, tag: "canary" },
      { revisionName: "release-00001", percent: 0, tag: "stable" },
    ]);
  });

  test.each<[string, object[], string]>([
    ["percentages that do not make a whole", [{ percent: 90 }], "add up to 90"],
    ["more than all", [{ percent: 101 }], "<=100"],
    ["the same tag twice", [{ percent: 100, tag: "a" }, { tag: "a" }], "the tag a is given twice"],
    ["a tag that is no label", [{ percent: 100, tag: "Canary" }], "no DNS label"],
    [
      "a revision that is to be the latest",
      [{ percent: 100, revisionName: "a", latestRevision: true }],
      "latestRevision",
    ],
    ["no revision where it is not to be the latest", [{ percent: 100, latestRevision: false }], "is missing"],
    ["a field of the status", [{ percent: 100, tag: "a", url: "http://a" }], "url"],
    ["a configuration, which only a Route may name", [{ percent: 100, configurationName: "a" }], "configurationName"],
  ])("refuses %s", (_, targets, named) => expect(() => traffic.parse(targets)).toThrow(named));
});

describe("dealing out", () => {
  const deal = (shares: Record<string, number>, requests: number) => {
    const next = dealOut(Object.entries(shares).map(([to, percent]) => ({ to, percent })));
    return Array.from({ length: requests }, next);
  };

  test("gives each its percentage of any hundred in a row", () => {
    const dealt = deal({ a: 61, b: 29, c: 10, d: 0 }, 300);
    for (const from of [0, 37, 200]) {
      const counts = Map.groupBy(dealt.slice(from, from + 100), (to) => to);
      expect(Object.fromEntries([...counts].map(([to, all]) => [to, all.length]))).toEqual({ a: 61, b: 29, c: 10 });
    }
  });

  test("spreads the turns", () => expect(deal({ a: 75, b: 25 }, 8).join("")).toBe("aabaaaba"));

  test("has no revision to choose where none has a share", () => expect(deal({ a: 0 }, 1)).toEqual([undefined]));
});
