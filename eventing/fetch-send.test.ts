import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createFetchSend } from "./fetch-send.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listen(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open() {
  const { send, close } = createFetchSend();
  closing.push(close);
  return send;
}

describe("sending over HTTP", () => {
  test("carries headers and bodies both ways, empty values too, on connections that stay open", async () => {
    const ports = new Set<number | undefined>();
    const url = await listen((request, response) => {
      ports.add(request.socket.remotePort);
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        response.writeHead(207, { "x-got": JSON.stringify(request.headers["ce-namespace"]), "retry-after": "3" });
        response.end(`${request.method} ${request.url} ${body}`);
      });
    });
    const post = open();
    const request = { headers: { "ce-namespace": "", "content-type": "application/json" }, body: '{"ü":1}' };
    for (let sent = 0; sent < 20; sent++) {
      const answer = await post(`${url}/a/b`, request);
      expect(answer).toMatchObject({ status: 207, body: 'POST /a/b {"ü":1}' });
      expect(answer.headers).toMatchObject({ "x-got": '""', "retry-after": "3" });
    }
    expect(ports.size).toBeLessThan(5);
  });

  test("rejects when no server listens and when the connection breaks", async () => {
    const post = open();
    await expect(post("http://127.0.0.1:1/", { headers: {}, body: "" })).rejects.toThrow();
    const url = await listen((request) => request.socket.destroy());
    await expect(post(url, { headers: {}, body: "" })).rejects.toThrow();
  });

  test("ends with its signal, and the subscriber notices", async () => {
    const begun = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const url = await listen((_, response) => {
      begun.resolve();
      response.once("close", gone.resolve);
    });
    const stop = new AbortController();
    const answer = open()(url, { headers: {}, body: "" }, stop.signal);
    await begun.promise;
    stop.abort(new Error("late"));
    await expect(answer).rejects.toThrow();
    await gone.promise;
  });

  test("follows no redirect", async () => {
    const url = await listen((_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end());
    expect(await open()(url, { headers: {}, body: "" })).toMatchObject({ status: 302 });
  });
});
