import { describe, expect, test } from "vitest";
import { damageOf, readRecord, recordKey, writeRecord } from "./record.ts";
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

  test.each<[string, object]>([
    ["called", { ...whole, called: 7 }],
    ["called", withoutCall],
    ["before", { ...whole, before: { "pvc-1": { good: 2 } } }],
    ["before", withoutCount],
    ["called, before", { ...whole, called: 7, before: [] }],
  ])("says what is lost, and what to do: %s", (lost, damaged) => {
    expect(damageOf(satelliteWith(damaged))).toMatchObject({
      message: expect.stringContaining(`is damaged (${lost}).`),
      advice: expect.stringMatching(/`kubectl annotate linstorsatellite \S+ holdfast.dev\/evacuation-`$/),
    });
  });

  test.each<[string, unknown]>([
    ["is whole", whole],
    ["was not called yet", { v: 1, uid: "u1", begun, awaited: begun }],
    ["does not need what is damaged", withoutWait],
    ["is another object's", { ...withoutCall, uid: "u0" }],
  ])("misses nothing where it %s", (_, record) => expect(damageOf(satelliteWith(record))).toBeUndefined());

  test.each<[string, unknown]>([
    ["of another object", { ...whole, uid: "u0" }],
    ["of a version too new", { ...whole, v: 3 }],
    ["that says not when it was begun", { ...whole, begun: "once" }],
    ["cut short", JSON.stringify(whole).slice(0, 40)],
  ])("%s counts as none", (_, record) => expect(readRecord(satelliteWith(record))).toBeUndefined());
});
