import type { IncomingMessage, RequestListener } from "node:http";
import { Agent as HttpsAgent, type RequestOptions } from "node:https";
import type { TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { certificates } from "../kubernetes/testing/certificates.ts";
import { type TlsServer, tlsServer } from "../kubernetes/testing/tls-server.ts";
import { bodyOf, isUnsent, sendRequest } from "./send-request.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0)) await step();
});

/** A server that answers as a test wants, and what sends requests to it over connections that are kept. */
async function to(answer: RequestListener) {
  const api: TlsServer = await tlsServer(answer);
  const trust = { ca: certificates.authority };
  const agent = new HttpsAgent({ keepAlive: true });
  cleanUp.push(
    () => agent.destroy(),
    () => api.close(),
  );
  return (method: "GET" | "PATCH" = "GET", signal?: AbortSignal) =>
    sendRequest(
      `${api.url}/`,
      { ...trust, method, agent, ...(signal ? { signal } : {}) },
      method === "GET" ? undefined : "{}",
    );
}

const textOf = (response: IncomingMessage) => bodyOf(response).setEncoding("utf8");

async function read(body: AsyncIterable<string>) {
  let text = "";
  for await (const chunk of body) text += chunk;
  return text;
}
const long = "A claim named Größe, held by 猫. ".repeat(20_000);
const bytesOf = (gzip: boolean) => (gzip ? gzipSync(long) : Buffer.from(long));

describe.each([true, false])("the text of an answer (gzip: %j)", (gzip) => {
  const bytes = bytesOf(gzip);
  const head = gzip ? { "content-encoding": "gzip" } : {};

  test("survives being cut anywhere", async () => {
    const send = await to((_, response) => {
      response.writeHead(200, head);
      for (let at = 0; at < bytes.length; at += 1021) response.write(bytes.subarray(at, at + 1021));
      response.end();
    });
    expect(await read(textOf(await send()))).toBe(long);
  });

  test("fails its reader when it breaks off", async () => {
    const send = await to((_, response) => {
      response.writeHead(200, head).write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    });
    await expect(send().then((response) => read(textOf(response)))).rejects.toThrow();
  });

  test("closes the response when its reader stops early", async () => {
    const closed = Promise.withResolvers<void>();
    const send = await to((_, response) => {
      response.writeHead(200, head).write(bytes.subarray(0, bytes.length - 10));
      response.once("close", closed.resolve);
    });
    for await (const _ of textOf(await send())) break;
    await closed.promise;
  });

  test("fails its reader when the request is aborted in the middle, and closes the response", async () => {
    const closed = Promise.withResolvers<void>();
    const send = await to((_, response) => {
      response.writeHead(200, head).write(bytes.subarray(0, bytes.length - 10));
      response.once("close", closed.resolve);
    });
    const abort = new AbortController();
    const response = await send("GET", abort.signal);
    const reading = read(textOf(response));
    abort.abort();
    await expect(reading).rejects.toThrow();
    await closed.promise;
  });
});

test("an answer that says it is compressed and is not fails its reader", async () => {
  const send = await to((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end("{}");
  });
  await expect(send().then((response) => read(textOf(response)))).rejects.toThrow(/header/);
});

test("a request that is aborted before it is answered rejects and frees its connection", async () => {
  const asked = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const send = await to(({ socket }) => {
    asked.resolve();
    socket.once("close", () => closed.resolve());
  });
  const abort = new AbortController();
  const answer = send("GET", abort.signal);
  await asked.promise;
  abort.abort();
  await expect(answer).rejects.toThrow(/abort/);
  await closed.promise;
});

describe("connections", () => {
  /** Notes which connection each request came over, and lets `answer` end the connection instead. */
  async function counting(answer: (requests: number, connection: number) => boolean) {
    const connections: TLSSocket[] = [];
    const log: string[] = [];
    const requests = new Map<TLSSocket, number>();
    const send = await to(({ socket, method }, response) => {
      const connection = socket as TLSSocket;
      if (!connections.includes(connection)) connections.push(connection);
      const count = (requests.get(connection) ?? 0) + 1;
      requests.set(connection, count);
      log.push(`${method} ${connections.indexOf(connection)}`);
      if (answer(count, connections.indexOf(connection))) response.end("done");
      else connection.destroy();
    });
    const ask = async (method?: "GET" | "PATCH") => read(textOf(await send(method)));
    return { ask, log };
  }

  test("are kept and used again", async () => {
    const { ask, log } = await counting(() => true);
    for (let index = 0; index < 3; index++) expect(await ask()).toBe("done");
    expect(log).toEqual(["GET 0", "GET 0", "GET 0"]);
  });

  test("that were kept and are closed on use cost a GET nothing but another one", async () => {
    const { ask, log } = await counting((count) => count === 1);
    expect([await ask(), await ask()]).toEqual(["done", "done"]);
    expect(log).toEqual(["GET 0", "GET 0", "GET 1"]);
  });

  test("are tried no third time", async () => {
    const { ask, log } = await counting((count, connection) => count === 1 && connection === 0);
    await ask();
    await expect(ask()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(log).toEqual(["GET 0", "GET 0", "GET 1"]);
  });

  test("that are closed on use fail a write, which may have been taken", async () => {
    const { ask, log } = await counting((count) => count === 1);
    await ask();
    await expect(ask("PATCH")).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(log).toEqual(["GET 0", "PATCH 0"]);
  });

  test("that are new and are closed at once fail a GET", async () => {
    const { ask, log } = await counting(() => false);
    await expect(ask()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(log).toEqual(["GET 0"]);
  });
});

describe("a request", () => {
  const failing = (url: string, options: RequestOptions = {}) =>
    sendRequest(url, { method: "PUT", ...options }, "{}").then(
      () => expect.fail("It was answered."),
      (error: Error) => error,
    );

  test("that no server takes a connection for is surely not sent", async () => {
    const gone = await tlsServer(() => {});
    await gone.close();
    for (const url of [gone.url, gone.url.replace("https", "http")]) expect(isUnsent(await failing(url))).toBe(true);
  });

  test("to a host that is not known is surely not sent", async () => {
    const lookup: RequestOptions["lookup"] = (_host, _options, done) =>
      done(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }), []);
    expect(isUnsent(await failing("http://linstor.invalid", { lookup }))).toBe(true);
  });

  test.each(["TLSv1.2", "TLSv1.3"] as const)(
    "to a server that it does not trust over %s is surely not sent",
    async (maxVersion) => {
      let taken = 0;
      const api = await tlsServer((_, response) => {
        taken++;
        response.end();
      });
      cleanUp.push(() => api.close());
      expect(isUnsent(await failing(api.url, { maxVersion }))).toBe(true);
      expect(taken).toBe(0);
    },
  );

  test("that a connection was there for may have been sent, whether the connection was new or kept", async () => {
    let requests = 0;
    const send = await to(({ socket }, response) => (requests++ === 1 ? response.end() : socket.destroy()));
    const failure = () => send("PATCH").catch((error: Error) => error);
    expect(isUnsent(await failure())).toBe(false);
    const answered = await send("PATCH");
    await read(textOf(answered));
    expect(isUnsent(await failure())).toBe(false);
  });

  test("that waited for the connection of another one may have been sent, and leaves no listener there", async () => {
    let requests = 0;
    const api = await tlsServer((_, response) => {
      if (requests++ < 3) response.end();
      else response.destroy();
    });
    const agent = new HttpsAgent({ keepAlive: true, maxSockets: 1 });
    cleanUp.push(
      () => agent.destroy(),
      () => api.close(),
    );
    const listeners: number[] = [];
    agent.on("free", (socket) => listeners.push(socket.listenerCount("secureConnect")));
    const options: RequestOptions = { ca: certificates.authority, method: "PUT", agent };
    const send = () => sendRequest(api.url, options, "{}");
    const answered = [1, 2, 3].map(() => send().then(textOf).then(read));
    const last = send().catch((error: Error) => error);
    await Promise.all(answered);
    expect(isUnsent(await last)).toBe(false);
    expect(listeners.length).toBeGreaterThan(1);
    expect(new Set(listeners).size).toBe(1);
  });
});
