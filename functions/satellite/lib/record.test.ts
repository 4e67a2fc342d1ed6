import { describe, expect, test } from "vitest";
import { readRecord, recordKey, writeRecord } from "./record.ts";
import { aSatellite, now } from "./testing/seen.ts";

const [begun, called] = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"];
const whole = { v: 1, uid: "u1", begun, awaited: begun, called, before: { "pvc-1": 2 } };
const satelliteWith = (record: unknown) =>
  aSatellite({
    metadata: { annotations: { [recordKey]: typeof record === "string" ? record : JSON.stringify(record) } },
  });
const { before: _, ...withoutCount } = whole;
const { called: __, ...withoutCall } = whole;
const { awaited: ___, ...withoutWait } = whole;

describe("a record of an evacuation", () => {
  test.each<[string, object, object]>([
    ["since when others are waited for", { ...whole, awaited: "yesterday" }, withoutWait],
    ["when LINSTOR was called", { ...whole, called: 7 }, withoutCall],
    ["how many good copies there were", { ...whole, before: { "pvc-1": -2 } }, withoutCount],
  ])("keeps the rest where it is damaged in %s, also when it is written again", (_, damaged, rest) => {
    expect(readRecord(satelliteWith(damaged))).toEqual(rest);
    expect(JSON.parse(writeRecord(satelliteWith(damaged), now))).toEqual(rest);
  });

  test.each<[string, unknown]>([
    ["of another object", { ...whole, uid: "u0" }],
    ["of a version too new", { ...whole, v: 3 }],
    ["that says not when it was begun", { ...whole, begun: "once" }],
    ["cut short", JSON.stringify(whole).slice(0, 40)],
  ])("%s counts as none", (_, record) => {
    expect(readRecord(satelliteWith(record))).toBeUndefined();
  });
});
