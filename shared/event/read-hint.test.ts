import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HttpRequest } from "../http-message.ts";
import { MalformedEvent } from "./malformed-event.ts";
import { readHint } from "./read-hint.ts";

const attributes = {
  specversion: "1.0",
  id: "8f7a",
  source: "https://10.96.0.1:443",
  type: "dev.knative.apiserver.resource.update",
  subject: "/apis/v1/namespaces/shop/persistentvolumeclaims/data",
  kind: "PersistentVolumeClaim",
  apiversion: "v1",
  name: "data",
  namespace: "shop",
};
const claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "shop", uid: "u1" },
};

const binary = (
  change: Record<string, string | undefined> = {},
  body = JSON.stringify(claim),
  contentType = "application/json",
) => {
  const headers: Record<string, string> = { "content-type": contentType };
  for (const [name, value] of Object.entries({ ...attributes, ...change }))
    if (value !== undefined) headers[`ce-${name}`] = value;
  return { headers, body };
};
const structured = (change: object = {}, contentType = "application/cloudevents+json") => ({
  headers: { "content-type": contentType },
  body: JSON.stringify({ ...attributes, data: claim, ...change }),
});
const refusal = (request: Parameters<typeof readHint>[0]) => {
  try {
    void readHint(request).object;
  } catch (error) {
    if (error instanceof MalformedEvent) return [error.status, error.message];
    throw error;
  }
  return undefined;
};

describe("a well-formed event", () => {
  test.each([
    ["binary", binary()],
    ["binary, with a charset and in other case", binary({}, JSON.stringify(claim), "Application/JSON; charset=UTF-8")],
    ["structured", structured()],
    ["structured, with a charset", structured({}, "application/cloudevents+json; charset=utf-8")],
    [
      "structured, with base64 data",
      structured({ data: undefined, data_base64: Buffer.from(JSON.stringify(claim)).toString("base64") }),
    ],
  ])("in %s mode becomes a hint", (_, request) => {
    const hint = readHint(request);
    expect(hint).toMatchObject({
      id: "8f7a",
      change: "update",
      kind: "PersistentVolumeClaim",
      apiVersion: "v1",
      namespace: "shop",
      name: "data",
    });
    expect(hint.object).toEqual(claim);
  });

  test("of a cluster-scoped kind has an empty namespace attribute and no namespace", () => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n0" } };
    const hint = readHint(binary({ kind: "Node", name: "n0", namespace: "" }, JSON.stringify(node)));
    expect(hint.namespace).toBeUndefined();
    expect(hint.object).toEqual(node);
  });

  test("in Reference mode has no object", () => {
    const reference = { kind: "PersistentVolumeClaim", namespace: "shop", name: "data", apiVersion: "v1" };
    expect(readHint(binary({ type: "dev.knative.apiserver.ref.delete" }, JSON.stringify(reference)))).toMatchObject({
      change: "delete",
      object: undefined,
    });
  });

  test("from the sweep has no object", () =>
    expect(readHint(binary({ type: "dev.holdfast.sweep" }, ""))).toMatchObject({ change: "sweep", object: undefined }));

  test("of a signal names an object, and carries none", () => {
    const type = "dev.holdfast.salt.job-returned";
    const hint = readHint(binary({ type }, JSON.stringify({ metadata: { jid: "2026" }, retcode: 0 })));
    expect(hint).toMatchObject({ change: "signal", signal: type, name: "data" });
    expect(hint.object).toBeUndefined();
  });

  test("leaves its data unparsed until the object is asked for", () => {
    const hint = readHint(binary({}, "{ not JSON"));
    expect(hint.name).toBe("data");
    expect(() => hint.object).toThrow("The event's data is not valid JSON.");
  });

  test("may have percent-encoded attributes", () =>
    expect(readHint(binary({ source: "https%3A%2F%2Fapi.example" })).name).toBe("data"));
});

describe("a damaged event is refused with a sentence", () => {
  test.each([
    ["nothing of a CloudEvent", { headers: {}, body: "hello" }, 400, "neither ce- headers"],
    ["no id", binary({ id: undefined }), 400, "attribute id is missing"],
    ["an empty id", binary({ id: "" }), 400, "attribute id is missing"],
    ["an id of megabytes", structured({ id: "x".repeat(3_000_000) }), 400, "attribute id is longer than 1000"],
    ["a version of megabytes", structured({ specversion: "x".repeat(3_000_000) }), 400, "is longer than 1000"],
    ["no source", binary({ source: undefined }), 400, "attribute source is missing"],
    ["no type", binary({ type: undefined }), 400, "attribute type is missing"],
    ["no specversion", binary({ specversion: undefined }), 400, "attribute specversion is missing"],
    ["another specversion", binary({ specversion: "0.3" }), 400, "CloudEvents 0.3 is not read"],
    ["a type of another source", binary({ type: "dev.knative.sources.ping" }), 400, "narrow the filter of the Trigger"],
    ["no kind", binary({ kind: undefined }), 400, "attribute kind is missing"],
    ["no name", binary({ name: undefined }), 400, "attribute name is missing"],
    ["an empty name", binary({ name: "" }), 400, "attribute name is missing"],
    ["a name that climbs", binary({ name: "../../secrets/token" }), 400, "no name of a Kubernetes object"],
    ["a namespace that climbs", binary({ namespace: ".." }), 400, "no name of a Kubernetes object"],
    ["a name of 254 characters", binary({ name: "a".repeat(254) }), 400, "no name of a Kubernetes object"],
    ["a garbage time", binary({ time: "yesterday" }), 400, "does not conform"],
    ["a broken percent-encoding", binary({ source: "%zz" }), 400, "percent-encoded"],
    [
      "data of another object",
      binary({ name: "other" }),
      400,
      "not the PersistentVolumeClaim that its attributes name",
    ],
    ["data that is a list", binary({}, "[]"), 400, "no Kubernetes object"],
    ["data whose metadata is a string", binary({}, '{"metadata":"x"}'), 400, "not the PersistentVolumeClaim"],
    ...[{ finalizers: [5] }, { ownerReferences: [null] }, { ownerReferences: {} }, { annotations: { a: 5 } }].map(
      (part): [string, HttpRequest, number, string] => [
        `data with ${JSON.stringify(part)}`,
        binary({}, JSON.stringify({ metadata: { name: "data", namespace: "shop", ...part } })),
        400,
        "no API server sends",
      ],
    ),
    ["data in XML", binary({}, "<a/>", "application/xml"), 415, "not JSON"],
    ["truncated data", binary({}, JSON.stringify(claim).slice(0, -9)), 400, "not valid JSON"],
    ["a batch", { headers: { "content-type": "application/cloudevents-batch+json" }, body: "[]" }, 415, "not batches"],
    ["an envelope in Avro", structured({}, "application/cloudevents+avro"), 415, "application/cloudevents+json"],
    ["a truncated envelope", { ...structured(), body: '{"specversion":' }, 400, "envelope is not valid JSON"],
    ["an envelope that is a list", { ...structured(), body: "[1]" }, 400, "envelope is no JSON object"],
    ["an id that is a number", structured({ id: 7 }), 400, "attribute id is missing"],
    ["a name that is an object", structured({ name: {} }), 400, "attribute name is missing"],
    ["base64 that is a number", structured({ data: undefined, data_base64: 7 }), 400, "data_base64 is no string"],
    ["an attribute with a bad name", structured({ "Bad-Name": "x" }), 400, "does not conform"],
  ])("%s", (_, request, status, sentence) => {
    const [actual, message] = refusal(request) ?? [];
    expect(actual).toBe(status);
    expect(message).toContain(sentence);
  });
});

test("any request is either a hint or refused as malformed", () => {
  const header = fc.oneof(
    fc.constantFrom(
      "ce-id",
      "ce-type",
      "ce-source",
      "ce-specversion",
      "ce-kind",
      "ce-name",
      "ce-namespace",
      "content-type",
      "ce-time",
      "ce-data",
    ),
    fc.string({ maxLength: 12 }),
  );
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom("1.0", "application/json", "application/cloudevents+json", "dev.holdfast.sweep"),
  );
  const body = fc.oneof(fc.string(), fc.json(), fc.constant(JSON.stringify(claim)));
  const valid = binary();
  fc.assert(
    fc.property(fc.dictionary(header, value), body, fc.boolean(), (headers, body, onTop) => {
      const request = { headers: onTop ? { ...valid.headers, ...headers } : headers, body };
      const refused = refusal(request);
      if (refused) expect(refused[1]).toMatch(/\.$|:/);
      else expect(readHint(request).name).not.toBe("");
    }),
    { numRuns: 2000 },
  );
});
