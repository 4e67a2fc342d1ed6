import { once } from "node:events";
import { request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { type VirtualClock, virtualClock } from "../time/testing/virtual-clock.ts";
import { type HttpServer, serveHttp } from "./http.ts";
import { type ApiServer, createApiServer } from "./server.ts";

let http: HttpServer;
let server: ApiServer;
let clock: VirtualClock;

async function start() {
  clock = virtualClock();
  server = createApiServer({ clock, random: seededRandom(1) });
  http = await serveHttp(server);
}

afterEach(() => http.close());

const configMaps = "/api/v1/namespaces/default/configmaps";
const post = (body: string, path = configMaps) =>
  fetch(http.url + path, { method: "POST", body, headers: { "content-type": "application/json" } });
// biome-ignore lint/suspicious/noExplicitAny: Answers are of every shape.
const jsonOf = async (answer: Response): Promise<any> => answer.json();

test("asks and answers", async () => {
  await start();
  const made = await post('{"metadata":{"name":"x"}}');
  expect([made.status, made.headers.get("content-type")]).toEqual([201, "application/json"]);
  const read = await fetch(`${http.url}${configMaps}/x`);
  expect([read.status, (await jsonOf(read)).metadata.name]).toEqual([200, "x"]);
  expect((await fetch(http.url + configMaps, { method: "OPTIONS" })).status).toBe(405);
});

test("takes protobuf from kubectl's own commands", async () => {
  await start();
  const body = Buffer.from(
    "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEh8KFQoBYxIAGgRkZW1vIgAqADIAOABCABIGCgFhEgFiGgAiAA==",
    "base64",
  );
  const { status } = await post('{"metadata":{"name":"demo"}}', "/api/v1/namespaces");
  const made = await fetch(`${http.url}/api/v1/namespaces/demo/configmaps`, {
    method: "POST",
    body,
    headers: { "content-type": "application/vnd.kubernetes.protobuf" },
  });
  expect([status, made.status, (await jsonOf(made)).data]).toEqual([201, 201, { a: "b" }]);
});

test("says that a kind is not served, in any encoding of the request", async () => {
  await start();
  // What kubectl create job sends.
  const unknown = Buffer.from("azhzAAoPCghiYXRjaC92MRIDSm9iEgA=", "base64");
  const send = async (path: string) => {
    const headers = { "content-type": "application/vnd.kubernetes.protobuf" };
    const answer = await fetch(http.url + path, { method: "POST", body: unknown, headers });
    return [answer.status, (await answer.text()).includes("does not know the kind Job of batch/v1 as protobuf")];
  };
  expect(await send("/apis/batch/v1/namespaces/default/jobs")).toEqual([404, false]);
  expect(await send("/api/v1/namespaces/default/limitranges")).toEqual([404, false]);
  expect(await send(configMaps)).toEqual([415, true]);
});

describe("watches", () => {
  test("come line by line and end when the client leaves", async () => {
    await start();
    const leave = new AbortController();
    const answer = await fetch(`${http.url}${configMaps}?watch=1`, { signal: leave.signal });
    expect(answer.headers.get("transfer-encoding")).toBe("chunked");
    const reader = answer.body?.getReader();
    await post('{"metadata":{"name":"x"}}');
    const { value } = (await reader?.read()) ?? {};
    expect(JSON.parse(Buffer.from(value ?? []).toString())).toMatchObject({
      type: "ADDED",
      object: { metadata: { name: "x" } },
    });
    leave.abort();
    await expect(reader?.read()).rejects.toThrow();
  });

  test("end when the server closes", async () => {
    await start();
    const asked = request(`${http.url}${configMaps}?watch=1`).end();
    const [answer] = await once(asked, "response");
    const closed = once(answer.resume(), "end");
    server.close();
    await expect(closed).resolves.toEqual([]);
  });
});

test("a port that is taken is an error", async () => {
  await start();
  await expect(serveHttp(server, http.port)).rejects.toThrow("EADDRINUSE");
});
