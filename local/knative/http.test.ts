import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { request as send } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { createFetchSend } from "../../eventing/fetch-send.ts";
import { type Ingress, serveIngress } from "./http.ts";

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

async function serve(ingress: Ingress): Promise<string> {
  const { url, close } = await serveIngress(ingress);
  closing.push(close);
  return url;
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

describe("the ingress over HTTP", () => {
  test("hands on path, headers and body", async () => {
    const url = await serve(async (path, { headers, body }) => ({
      status: 202,
      headers: { "x-path": path },
      body: `${headers["ce-id"]} ${body}`,
    }));
    const answer = await send(`${url}/shop/workloads`, { method: "POST", headers: { "ce-id": "7" }, body: "data" });
    expect(answer.statusCode).toBe(202);
    expect(answer.headers).toMatchObject({ "x-path": "/shop/workloads", allow: "POST, OPTIONS" });
    expect(await answer.body.text()).toBe("7 data");
  });

  test("answers other methods as Knative does", async () => {
    const url = await serve(async () => ({ status: 202, headers: {}, body: "" }));
    const options = await send(`${url}/shop/workloads`, { method: "OPTIONS" });
    expect([options.statusCode, options.headers["webhook-allowed-origin"]]).toEqual([200, "*"]);
    expect((await send(`${url}/shop/workloads`, { method: "GET" })).statusCode).toBe(405);
  });

  test("closes the connection when the broker is stopped", async () => {
    const url = await serve(() => Promise.reject(new Error("stopped")));
    await expect(send(url, { method: "POST", body: "x" })).rejects.toThrow();
  });

  test("tells when the sender goes away", async () => {
    const arrived = Promise.withResolvers<AbortSignal>();
    const url = await serve((_, __, signal) => {
      arrived.resolve(signal);
      return new Promise(() => {});
    });
    const stop = new AbortController();
    const sending = send(url, { method: "POST", body: "x", signal: stop.signal }).catch(() => {});
    const signal = await arrived.promise;
    expect(signal.aborted).toBe(false);
    const left = new Promise((resolve) => signal.addEventListener("abort", resolve));
    stop.abort();
    await left;
    await sending;
  });

  test("rejects when its port is taken", async () => {
    const { port, close } = await serveIngress(async () => ({ status: 202, headers: {}, body: "" }));
    closing.push(close);
    await expect(serveIngress(async () => ({ status: 202, headers: {}, body: "" }), { port })).rejects.toThrow(
      "EADDRINUSE",
    );
  });
});
