import { describe, expect, test } from "vitest";
import { validate } from "./cloud-event.ts";
import { eventFrom } from "./from-http.ts";
import { canonicalTime, timestamp } from "./timestamp.ts";
import { toBinary, toStructured } from "./to-http.ts";

const attributes = {
  specversion: "1.0",
  id: "1",
  source: "/s",
  type: "t",
  datacontenttype: "application/json",
  namespace: "",
};

describe("binary mode", () => {
  test("keeps every attribute, an empty one too", () => {
    const event = { attributes, body: '{"a":1}' };
    const request = toBinary(event, { "kn-namespace": "shop" });
    expect(request.headers).toEqual({
      "ce-specversion": "1.0",
      "ce-id": "1",
      "ce-source": "/s",
      "ce-type": "t",
      "content-type": "application/json",
      "ce-namespace": "",
      "kn-namespace": "shop",
    });
    expect(eventFrom(request)).toEqual(event);
  });
});

describe("structured mode", () => {
  const structured = (body: unknown, type = "application/cloudevents+json; charset=utf-8") => ({
    headers: { "content-type": type },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

  test("is read back as it was written", () => {
    const event = { attributes, body: '{"a":[1,2]}' };
    expect(eventFrom(toStructured(event))).toEqual(event);
    const text = { attributes: { ...attributes, datacontenttype: "text/plain" }, body: 'say "hi"' };
    expect(eventFrom(toStructured(text))).toEqual(text);
    const empty = { attributes: { specversion: "1.0", id: "1", source: "/s", type: "t" }, body: "" };
    expect(eventFrom(toStructured(empty))).toEqual(empty);
  });

  test.each<[string, object, string, string | undefined]>([
    ["JSON data without a content type", { data: { a: 1 } }, '{"a":1}', undefined],
    ["base64 data", { data_base64: "aGk=", datacontenttype: "text/plain" }, "hi", "text/plain"],
    ["a JSON string", { data: "hi" }, '"hi"', undefined],
  ])("takes %s", (_, data, body, datacontenttype) => {
    const event = eventFrom(
      structured({ specversion: "1.0", id: "1", source: "/s", type: "t", count: 3, on: true, ...data }),
    );
    expect(event).toEqual({
      attributes: {
        specversion: "1.0",
        id: "1",
        source: "/s",
        type: "t",
        count: "3",
        on: "true",
        ...(datacontenttype ? { datacontenttype } : {}),
      },
      body,
    });
  });

  test.each([
    ["no JSON", structured("{"), "not valid JSON"],
    ["no object", structured([1]), "no JSON object"],
    ["a nested attribute", structured({ specversion: "1.0", id: { a: 1 } }), "id is no plain value"],
    ["a batch", structured([], "application/cloudevents-batch+json"), "neither"],
    ["another body", { headers: { "content-type": "application/json" }, body: "{}" }, "neither"],
    ["a time that is none", { headers: { "ce-specversion": "1.0", "ce-time": "noon" }, body: "" }, "RFC 3339"],
  ])("refuses %s", (_, request, message) => expect(() => eventFrom(request)).toThrow(message));
});

describe("validate", () => {
  test.each([
    [{ specversion: "0.3" }, "specversion"],
    [{ id: "" }, "id is missing"],
    [{ source: "" }, "source is missing"],
    [{ source: "%zz" }, "is no URI reference"],
    [{ source: "/a%2" }, "is no URI reference"],
    [{ type: "" }, "type is missing"],
    [{ "bad-name": "x" }, "no name of an attribute"],
    [{ Bad: "x" }, "no name of an attribute"],
  ])("refuses %j", (change, message) => expect(() => validate({ ...attributes, ...change })).toThrow(message));

  test("takes a source with encoded characters", () =>
    expect(validate({ ...attributes, source: "/a%2Fb" })).toBeUndefined());

  test("takes empty extensions", () => expect(validate(attributes)).toBeUndefined());
});

describe("time", () => {
  test.each([
    [0, "1970-01-01T00:00:00Z"],
    [1500, "1970-01-01T00:00:01.5Z"],
    [1_020, "1970-01-01T00:00:01.02Z"],
    [600_000, "1970-01-01T00:10:00Z"],
  ])("%d is written %s", (ms, text) => expect(timestamp(ms)).toBe(text));

  test.each([
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"],
    ["2026-01-02T03:04:05.000Z", "2026-01-02T03:04:05Z"],
    ["2026-01-02T03:04:05.123456789Z", "2026-01-02T03:04:05.123456789Z"],
    ["2026-01-02T03:04:05.120+02:00", "2026-01-02T01:04:05.12Z"],
    ["2026-01-02t03:04:05z", "2026-01-02T03:04:05Z"],
    ["2026-01-02 03:04:05Z", undefined],
    ["2026-13-02T03:04:05Z", undefined],
    ["yesterday", undefined],
  ])("%s is %s to a subscriber", (text, canonical) => expect(canonicalTime(text)).toBe(canonical));
});
