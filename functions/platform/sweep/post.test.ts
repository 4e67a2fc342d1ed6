import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { postSigned } from "./post.ts";

const headers = { "ce-id": "e1", "ce-namespace": "" };
let url: string;
let connections = 0;
let received: (IncomingHttpHeaders & { body: string })[] = [];

const broker = createServer(async (request, response) => {
  const body = (await Array.fromAsync(request.setEncoding("utf8"))).join("");
  received.push({ ...request.headers, body });
  if (request.url === "/never") return;
  response.writeHead(request.url === "/refuses" ? 503 : 202).end("an answer that no client reads");
});
broker.on("connection", () => connections++);
beforeAll(async () => {
  await once(broker.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(broker.address() as AddressInfo).port}`;
});
afterAll(() => {
  broker.closeAllConnections();
  broker.close();
});
const unsigned = { tokens: "", tokenHosts: [] };

beforeEach(() => {
  received = [];
});

test("an event is posted as it is, with empty attributes, and the connection is kept for the next one", async () => {
  const post = postSigned(unsigned);
  for (let index = 0; index < 3; index++)
    expect(await post(`${url}/shop/storage`, { headers, body: "" })).toEqual({ status: 202, headers: {}, body: "" });
  expect(received).toHaveLength(3);
  expect(received[0]).toMatchObject({ "ce-id": "e1", "ce-namespace": "", "content-length": "0", body: "" });
  expect(received[0]).not.toHaveProperty("authorization");
  expect(connections).toBeLessThan(3);
});

test("any status is an answer; no answer is an error", async () => {
  const post = postSigned(unsigned);
  expect((await post(`${url}/refuses`, { headers, body: "" })).status).toBe(503);
  await expect(post("http://127.0.0.1:1/", { headers, body: "" })).rejects.toThrow("ECONNREFUSED");
});

test("a request that its sender no longer waits for ends", async () => {
  const late = new AbortController();
  const answer = postSigned(unsigned)(`${url}/never`, { headers, body: "" }, late.signal);
  late.abort(new Error("late"));
  await expect(answer).rejects.toThrow("aborted");
});
