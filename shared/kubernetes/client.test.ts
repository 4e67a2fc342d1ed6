import { describe, expect, test } from "vitest";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { ApiError, isConflict, isExpired } from "./api-error.ts";
import { createClient } from "./client.ts";
import { PersistentVolumeClaim as Claim, Pod } from "./kind.ts";
import type { ApiRequest, Transport } from "./transport.ts";

async function* chunks(...texts: string[]) {
  yield* texts;
}

/** A transport that answers from a list and records what it was asked. */
function scripted(...answers: { status?: number; headers?: Record<string, string>; body: unknown }[]) {
  const asked: ApiRequest[] = [];
  const transport: Transport = async (request) => {
    asked.push(request);
    const { status = 200, headers = {}, body } = answers.shift() ?? { status: 500, body: "no answer left" };
    return { status, headers, body: chunks(typeof body === "string" ? body : JSON.stringify(body)) };
  };
  return { asked, client: createClient(transport) };
}

const status = (code: number, reason: string, more: object = {}) => ({
  status: code,
  body: { kind: "Status", code, reason, message: `It is ${reason}.`, ...more },
});
const caught = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error = await promise.then(
    () => undefined,
    (error) => error,
  );
  if (!(error instanceof ApiError)) throw new Error(`An ApiError was expected, not ${error}.`);
  return error;
};

describe("a 404 that is not the API server's word about an object proves nothing", () => {
  test.each([
    ["the page of an API server that does not serve the kind", "404 page not found\n"],
    ["the page of a proxy", "<html><body>Not Found</body></html>"],
    ["nothing", ""],
    ["other JSON", { message: "no route" }],
    ["a Status that names no object", { kind: "Status", code: 404, reason: "NotFound", details: {} }],
  ])("%s", async (_, body) => {
    const answering = () => scripted({ status: 404, body }).client;
    for (const asked of [
      answering().get(Pod, "shop", "web-0"),
      answering().patch(Pod, "shop", "web-0", "merge", {}),
      answering().delete(Pod, "shop", "web-0"),
    ]) {
      const error = await caught(asked);
      expect([error.status, error.reason]).toEqual([404, "NoSuchPath"]);
      expect(error.message).toMatch(/says nothing about the object: look whether .*\.$/s);
    }
  });

  test("one that names the object does", async () => {
    const details = { name: "web-0", kind: "pods" };
    expect(await scripted(status(404, "NotFound", { details })).client.get(Pod, "shop", "web-0")).toBeUndefined();
  });
});

test("a 403 of an API server that is starting is an outage, and any other one a refusal", async () => {
  const refused = (message: string) =>
    caught(scripted(status(403, "Forbidden", { message })).client.patch(Pod, "shop", "web-0", "merge", {}));
  const starting = await refused('pods "web-0" is forbidden: not yet ready to handle request');
  expect([starting.status, starting.reason]).toEqual([503, "ServiceUnavailable"]);
  const denied = await refused('pods "web-0" is forbidden: User "x" cannot patch resource "pods"');
  expect([denied.status, denied.reason]).toEqual([403, "Forbidden"]);
});

describe("get", () => {
  test("keeps fields that no model knows", async () => {
    const object = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web-0", brandNew: [1] },
      spec: { brandNew: { a: null } },
    };
    expect(await scripted({ body: object }).client.get(Pod, "shop", "web-0")).toEqual(object);
  });

  test("answers undefined for an object that does not exist", async () => {
    expect(await scripted(status(404, "NotFound")).client.get(Pod, "shop", "web-0")).toBeUndefined();
  });

  test("names the object in the path, encoded, and asks for no cached version", async () => {
    const { asked, client } = scripted(status(404, "NotFound"));
    await client.get(Claim, "shop", "data.v1:x");
    expect(asked[0]).toMatchObject({
      method: "GET",
      path: "/api/v1/namespaces/shop/persistentvolumeclaims/data.v1%3Ax",
    });
  });
});

describe("list", () => {
  const page = (names: string[], next?: string) => ({
    body: {
      kind: "PodList",
      items: names.map((name) => ({ metadata: { name } })),
      metadata: { resourceVersion: "5", ...(next ? { continue: next } : {}) },
    },
  });
  const names = async (list: AsyncIterable<{ metadata: { name: string } }>) => {
    const all = [];
    for await (const { metadata } of list) all.push(metadata.name);
    return all;
  };

  test("reads every page, without resourceVersion, and gives items their kind", async () => {
    const { asked, client } = scripted(page(["a", "b"], "t 1"), page([]), page(["c"]));
    const pods = client.list(Pod, { namespace: "shop", fieldSelector: "spec.nodeName!=", pageSize: 2 });
    expect(await names(pods)).toEqual(["a", "b"]);
    expect(asked.map(({ path }) => path)).toEqual([
      "/api/v1/namespaces/shop/pods?limit=2&fieldSelector=spec.nodeName%21%3D",
      "/api/v1/namespaces/shop/pods?limit=2&fieldSelector=spec.nodeName%21%3D&continue=t+1",
    ]);
  });

  test("goes on after an empty page that has a continue token", async () => {
    const { client } = scripted(page([], "t1"), page(["a"], "t2"), page(["b"]));
    expect(await names(client.list(Pod))).toEqual(["a", "b"]);
  });

  test("asks for no further page once the reader stops", async () => {
    const { asked, client } = scripted(page(["a", "b"], "t1"), page(["c"]));
    for await (const pod of client.list(Pod)) if (pod.metadata.name === "a") break;
    expect(asked).toHaveLength(1);
  });

  test("throws when the token expires in the middle: half a list proves nothing", async () => {
    const { client } = scripted(page(["a"], "t1"), status(410, "Expired"));
    const error = await caught(names(client.list(Pod)));
    expect(isExpired(error)).toBe(true);
  });

  test("takes a list without items", async () => {
    expect(
      await names(
        scripted({ body: { kind: "PodList", items: null, metadata: { resourceVersion: "5" } } }).client.list(Pod),
      ),
    ).toEqual([]);
  });

  test.each([
    ["an empty object", {}],
    ["a Status", { kind: "Status", status: "Success", metadata: {} }],
    ["a list without a version", { kind: "PodList", items: [], metadata: {} }],
    ["a list that lacks its items", { kind: "PodList", metadata: { resourceVersion: "5" } }],
  ])("refuses %s that was answered with 200: it does not prove that there is nothing", async (_, body) => {
    expect(await caught(names(scripted({ body }).client.list(Pod)))).toMatchObject({ status: 0, reason: "Unreadable" });
  });

  test("of metadata alone says so in its accept header", async () => {
    const { asked, client } = scripted(page([]));
    await names(client.list(Claim, { metadataOnly: true }));
    expect(asked[0]?.headers.accept).toContain("as=PartialObjectMetadataList");
  });
});

test.each([
  ["json", "application/json-patch+json"],
  ["merge", "application/merge-patch+json"],
  ["strategic", "application/strategic-merge-patch+json"],
  ["apply", "application/apply-patch+yaml"],
] as const)("a %s patch says so in its content type", async (type, contentType) => {
  const { asked, client } = scripted({ body: {} });
  await client.patch(Claim, "shop", "data", type, [], { fieldManager: "holdfast" });
  expect(asked[0]?.headers["content-type"]).toBe(contentType);
  expect(asked[0]?.path).toMatch(/\?fieldManager=holdfast$/);
});

test("a delete carries its preconditions, and returns whether there was something to delete", async () => {
  const { asked, client } = scripted({ body: {} }, status(404, "NotFound"));
  expect(await client.delete(Claim, "shop", "data", { uid: "u1", resourceVersion: "7" })).toBe(true);
  expect(JSON.parse(asked[0]?.body ?? "")).toMatchObject({ preconditions: { uid: "u1", resourceVersion: "7" } });
  expect(await client.delete(Claim, "shop", "data")).toBe(false);
});

describe("every failure is one typed error", () => {
  test("of the server: status, reason, message, causes and retry-after in milliseconds", async () => {
    const causes = [{ reason: "FieldValueForbidden", field: "metadata.finalizers" }];
    const answer = { ...status(422, "Invalid", { details: { causes } }), headers: { "retry-after": "2" } };
    const error = await caught(scripted(answer).client.get(Pod, "shop", "web-0"));
    expect(error).toMatchObject({ status: 422, reason: "Invalid", retryAfter: 2000, causes });
    expect(error.message).toBe("GET /api/v1/namespaces/shop/pods/web-0 failed with 422 Invalid: It is Invalid.");
  });

  test("of a proxy that answers in HTML", async () => {
    const error = await caught(scripted({ status: 503, body: "<html>busy</html>" }).client.get(Pod, "shop", "web-0"));
    expect(error).toMatchObject({ status: 503, reason: "ServiceUnavailable" });
  });

  test("of an answer that is no JSON", async () => {
    expect(await caught(scripted({ body: "<html>" }).client.get(Pod, "shop", "web-0"))).toMatchObject({
      status: 0,
      reason: "Unreadable",
    });
  });

  test("of the network, with its cause", async () => {
    const cause = new Error("connect ECONNREFUSED");
    const client = createClient(() => Promise.reject(cause));
    expect(await caught(client.get(Pod, "shop", "web-0"))).toMatchObject({ status: 0, reason: "Unreachable", cause });
  });

  test("of a connection that breaks in the middle of an answer", async () => {
    async function* broken() {
      yield '{"kind":';
      throw new Error("socket hang up");
    }
    const client = createClient(async () => ({ status: 200, headers: {}, body: broken() }));
    expect(await caught(client.get(Pod, "shop", "web-0"))).toMatchObject({ status: 0, reason: "Unreachable" });
  });

  test("of time: a call without an answer ends at its deadline, and is aborted", async () => {
    let signal: AbortSignal | undefined;
    const clock = virtualClock();
    const silent: Transport = (request) => {
      signal = request.signal;
      return new Promise(() => {});
    };
    const call = caught(createClient(silent, { clock, deadline: 5_000 }).get(Pod, "shop", "web-0"));
    await clock.advance(4_999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    const error = await call;
    expect(error).toMatchObject({ status: 0, reason: "Timeout" });
    expect(error.message).toContain("No answer within 5000 ms.");
    expect(signal?.aborted).toBe(true);
  });
});

test.each([
  [409, "Conflict", undefined, true],
  [409, "AlreadyExists", undefined, false],
  [409, "Conflict", [{ reason: "FieldManagerConflict" }], false],
  [422, "Invalid", undefined, true],
  [422, "Invalid", [{ field: "metadata.uid" }], true],
  [422, "Invalid", [{ field: "spec.volumeName", reason: "FieldValueForbidden" }], false],
  [404, "NotFound", undefined, false],
  [422, "Invalid", undefined, false, 'admission webhook "a.example.com" denied the request: no'],
  [409, "Conflict", undefined, false, 'admission webhook "a.example.com" denied the request: no'],
] as const)(
  "whether %i %s with causes %j is a conflict: %#",
  async (code, reason, causes, expected, message?: string) => {
    const error = new ApiError("PATCH", {
      status: code,
      reason,
      message: message ?? "",
      ...(causes ? { causes: [...causes] } : {}),
    });
    expect(isConflict(error)).toBe(expected);
  },
);
