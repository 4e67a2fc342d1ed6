import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { kubeconfigTransport } from "./kubeconfig-transport.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0)) await step();
});

/** A transport to an API server that answers as told. */
async function to(answer: RequestListener) {
  const server: Server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = await mkdtemp(join(tmpdir(), "holdfast-transport-"));
  cleanUp.push(
    () => server.closeAllConnections(),
    () => server.close(),
    () => rm(folder, { recursive: true }),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = {
    clusters: [{ name: "c", cluster: { server: url, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token: "secret" } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  };
  const file = join(folder, "kubeconfig");
  await writeFile(file, JSON.stringify(kubeconfig));
  return kubeconfigTransport(file);
}

async function textOf(body: AsyncIterable<string>) {
  let text = "";
  for await (const chunk of body) text += chunk;
  return text;
}
const request = { method: "GET", path: "/api/v1/pods?limit=1", headers: { accept: "application/json" } } as const;
const long = "A claim named Größe, held by 猫. ".repeat(20_000);

test("signs in as the kubeconfig says and asks for gzip", async () => {
  const transport = await to(({ headers, url }, response) => {
    response.end(`${url} ${headers.authorization} ${headers["accept-encoding"]}`);
  });
  const { status, body } = await transport(request);
  expect([status, await textOf(body)]).toEqual([200, "/api/v1/pods?limit=1 Bearer secret gzip"]);
});

test.each([true, false])("characters survive being cut anywhere (gzip: %j)", async (gzip) => {
  const bytes = gzip ? gzipSync(long) : Buffer.from(long);
  const transport = await to((_, response) => {
    if (gzip) response.setHeader("content-encoding", "gzip");
    for (let at = 0; at < bytes.length; at += 1021) response.write(bytes.subarray(at, at + 1021));
    response.end();
  });
  expect(await textOf((await transport(request)).body)).toBe(long);
});

test.each([true, false])("an answer that breaks off fails its reader (gzip: %j)", async (gzip) => {
  const transport = await to((_, response) => {
    if (gzip) response.setHeader("content-encoding", "gzip");
    const bytes = gzip ? gzipSync(long) : Buffer.from(long);
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  });
  await expect(transport(request).then(({ body }) => textOf(body))).rejects.toThrow();
});

test.each([true, false])("a reader that stops early closes the response (gzip: %j)", async (gzip) => {
  const closed = Promise.withResolvers<void>();
  const transport = await to((_, response) => {
    if (gzip) response.setHeader("content-encoding", "gzip");
    const bytes = gzip ? gzipSync(long) : Buffer.from(long);
    response.write(bytes.subarray(0, bytes.length - 10));
    response.once("close", closed.resolve);
  });
  for await (const _ of (await transport(request)).body) break;
  await closed.promise;
});

test("no answer at all rejects", async () => {
  const transport = await to(({ socket }) => socket.destroy());
  await expect(transport(request)).rejects.toThrow();
});

test("a refused sign-in is forgotten: the next request signs in anew", async () => {
  let requests = 0;
  const transport = await to((_, response) => {
    response.writeHead(requests++ === 0 ? 401 : 200).end("{}");
  });
  expect((await transport(request)).status).toBe(401);
  expect((await transport(request)).status).toBe(200);
});
