import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { httpTransport } from "./http-transport.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((listening) => server?.listen(0, "127.0.0.1", listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const none = async () => undefined;
const get = { method: "GET", path: "/a?b=c", headers: { "x-auth-token": "t" } } as const;

test("sends what it is given, and gives out the whole answer", async () => {
  const root = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers } = request;
    const seen = { method, url, token: headers["x-auth-token"], body: Buffer.concat(chunks).toString("utf8") };
    response.writeHead(418, { "x-kind": "teapot" }).end(JSON.stringify(seen));
  });
  const transport = httpTransport(root, none);
  const answer = await transport({ ...get, method: "POST", body: "schön" });
  expect(answer).toMatchObject({ status: 418, headers: { "x-kind": "teapot" } });
  expect(JSON.parse(answer.body)).toEqual({ method: "POST", url: "/a?b=c", token: "t", body: "schön" });
});

test("asks 32 things at once, and the others when these are answered", async () => {
  let [open, most] = [0, 0];
  const full = Promise.withResolvers<void>();
  const root = await serve(async (_, response) => {
    most = Math.max(most, ++open);
    if (open === 32) full.resolve();
    await full.promise;
    // Meanwhile one more would come.
    await new Promise((resolve) => setTimeout(resolve, 20));
    open--;
    response.end();
  });
  const transport = httpTransport(root, none);
  const answers = await Promise.all(Array.from({ length: 100 }, () => transport(get)));
  expect(answers).toHaveLength(100);
  expect(most).toBe(32);
});

test("follows no redirect", async () => {
  const root = await serve((_, response) => response.writeHead(302, { location: "/elsewhere" }).end());
  expect(await httpTransport(root, none)(get)).toMatchObject({ status: 302, headers: { location: "/elsewhere" } });
});

test("an answer that is cut off is none", async () => {
  const root = await serve((_, response) => {
    response.writeHead(200, { "content-length": "100" }).write("half");
    response.socket?.end();
  });
  await expect(httpTransport(root, none)(get)).rejects.toThrow();
});

test("gives up when its signal aborts", async () => {
  const abort = new AbortController();
  const root = await serve(() => abort.abort(new Error("too late")));
  await expect(httpTransport(root, none)({ ...get, signal: abort.signal })).rejects.toThrow();
});
