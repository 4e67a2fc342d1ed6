import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { HttpRequest } from "../http-message.ts";
import { createExpressServer } from "./express-server.ts";
import { application } from "./serve-function.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A function with little patience. Returns what it has taken, what it has complained of, and its port. */
async function listening() {
  const taken: HttpRequest[] = [];
  const complaints: string[] = [];
  const complain = (_fields: object, sentence: string) => void complaints.push(sentence);
  const app = application(
    async (request) => {
      taken.push(request);
      return { status: 204, headers: {}, body: "" };
    },
    { debug: complain, info: complain, warn: complain, error: complain },
  );
  server = createExpressServer(app, 300).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { taken, complaints, port: (server.address() as AddressInfo).port };
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Sends so much and no more, and waits for the connection to be closed. */
async function sendSlowly(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  let answer = "";
  for await (const piece of socket) answer += piece;
  return answer;
}

test.each([
  ["its headers", "POST / HTTP/1.1\r\nhost: function\r\n"],
  ["its body", 'POST / HTTP/1.1\r\nhost: function\r\ncontent-length: 100\r\n\r\n{"half":'],
])("a sender that stops in the middle of %s is answered 408, and the next one is served", async (_, text) => {
  const { taken, complaints, port } = await listening();
  expect(await sendSlowly(port, text)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(taken).toEqual([]);
  expect(complaints.join()).not.toContain("at ");
  expect((await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" })).status).toBe(204);
  expect(taken.map(({ body }) => body)).toEqual(["{}"]);
});

test("a sender that is refused has its answer before it sends the body", async () => {
  const refuse = async () => ({ status: 401 as const, headers: {}, body: "Sign in." });
  const app = application(() => Promise.reject(new Error("It was taken.")), silent, refuse);
  server = createExpressServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nhost: function\r\ncontent-length: 4000000\r\n\r\n");
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});

test("large events that take long to handle block no other events", async () => {
  const taken: number[] = [];
  const app = application((request) => {
    taken.push(request.body.length);
    return request.body.length > 1000 ? new Promise(() => {}) : Promise.resolve({ status: 204, headers: {}, body: "" });
  }, silent);
  server = createExpressServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const post = (body: string) => fetch(url, { method: "POST", body });
  // One after the other: what arrives together has its own limit.
  for (let i = 1; i <= 8; i++) {
    void post("x".repeat(4 * 1024 * 1024)).catch(() => {});
    await expect.poll(() => taken.length, { timeout: 20_000 }).toBe(i);
  }
  expect((await post("{}")).status).toBe(204);
});
