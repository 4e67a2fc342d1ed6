import { describe, expect, test } from "vitest";
import { testServer } from "../fixtures/test-server.ts";

const grouped = "/apis/events.k8s.io/v1/namespaces/default/events";
const core = "/api/v1/namespaces/default/events";
const event = {
  metadata: { name: "e" },
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingController: "holdfast.dev/release",
  reportingInstance: "release-1",
  action: "Release",
  reason: "Held",
  note: "still in use",
  type: "Normal",
  regarding: { apiVersion: "v1", kind: "PersistentVolumeClaim", name: "data", namespace: "default", uid: "u" },
};

test("one event under two names", async () => {
  const { ask } = testServer();
  expect((await ask("POST", grouped, event)).json).toMatchObject({ apiVersion: "events.k8s.io/v1", ...event });
  expect((await ask("GET", `${core}/e`)).json).toMatchObject({
    apiVersion: "v1",
    involvedObject: event.regarding,
    message: "still in use",
    reportingComponent: "holdfast.dev/release",
    source: {},
    firstTimestamp: null,
  });
  expect((await ask("GET", grouped)).json.items[0].note).toBe("still in use");
});

test("watched under both", async () => {
  const { ask, watch } = testServer();
  const [asCore, asGrouped] = [await watch(`${core}?watch=1`), await watch(`${grouped}?watch=1`)];
  await ask("POST", grouped, event);
  await asCore.seen();
  expect([asCore.events[0].object.message, asGrouped.events[0].object.note]).toEqual(["still in use", "still in use"]);
});

test("patched under the names of the group that is asked", async () => {
  const { ask, merge } = testServer();
  await ask("POST", grouped, event);
  const series = { count: 2, lastObservedTime: "2026-01-01T00:01:00.000000Z" };
  expect((await merge(`${grouped}/e`, { series })).json.series).toEqual(series);
  expect((await merge(`${grouped}/e`, { note: "other" })).json.details.causes).toEqual([
    { reason: "FieldValueInvalid", message: 'Invalid value: "other": field is immutable', field: "message" },
  ]);
  expect((await merge(`${core}/e`, { message: "other", count: 5 })).json.message).toBe("other");
  expect((await ask("GET", `${grouped}/e`)).json).toMatchObject({ note: "other", deprecatedCount: 5 });
});

describe("what is wrong", () => {
  test.each<[object, string]>([
    [{ eventTime: undefined }, "eventTime"],
    [{ reportingController: undefined }, "reportingController"],
    [{ reportingController: "a b" }, "reportingController"],
    [{ reportingInstance: undefined }, "reportingInstance"],
    [{ action: undefined }, "action"],
    [{ reason: undefined }, "reason"],
    [{ type: "Foo" }, "type"],
    [{ note: "x".repeat(1025) }, "message"],
    [{ deprecatedCount: 1 }, "count"],
    [{ series: { count: 1, lastObservedTime: "2026-01-01T00:00:00.000000Z" } }, "series.count"],
  ])("with %j", async (more, field) => {
    const { status, json } = await testServer().ask("POST", grouped, { ...event, ...more });
    expect([status, json.details.causes[0].field, json.details.group]).toEqual([422, field, undefined]);
  });

  test("an event about what has no namespace belongs into default", async () => {
    const { ask } = testServer();
    const regarding = { apiVersion: "v1", kind: "Node", name: "n" };
    expect((await ask("POST", grouped, { ...event, regarding })).status).toBe(201);
    await ask("POST", "/api/v1/namespaces", { metadata: { name: "demo" } });
    const elsewhere = await ask("POST", grouped.replace("default", "demo"), { ...event, regarding });
    expect(elsewhere.json.details.causes[0].message).toBe('Invalid value: "": does not match event.namespace');
  });
});

test("of an event of the old kind next to nothing is asked", async () => {
  const { ask } = testServer();
  const involvedObject = { kind: "Pod", name: "p", namespace: "default" };
  expect((await ask("POST", core, { metadata: { name: "old" }, involvedObject })).status).toBe(201);
  const other = { ...involvedObject, namespace: "other" };
  expect((await ask("POST", core, { metadata: { name: "x" }, involvedObject: other })).status).toBe(422);
});
