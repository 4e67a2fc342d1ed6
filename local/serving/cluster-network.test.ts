import { execFile } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import type { Send } from "../../eventing/send.ts";
import { type ClusterNetwork, openClusterNetwork } from "./cluster-network.ts";

let network: ClusterNetwork;
afterEach(() => network.close());

const none = async (url: string) => {
  throw new Error(`Nothing serves ${url}.`);
};
const ingress = "http://broker-ingress.knative-eventing.svc.cluster.local/shop/storage";
const byFetch = `const a = await fetch("${ingress}", { method: "POST", headers: { "ce-id": "1" }, body: "é" });
  console.log(a.status, await a.text());`;
const byHttp = `import { request } from "node:http";
  const r = request("${ingress}", { method: "POST", headers: { "ce-id": "1" } }, async (a) => {
    console.log(a.statusCode, Buffer.concat(await a.toArray()).toString());
  });
  r.end("é");`;

/** Runs a script as a function's process would run: with nothing but the network's environment. */
async function run(script: string): Promise<string> {
  const env = network.environment;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { env });
  return stdout.trim();
}

test.each([
  ["fetch", byFetch],
  ["http", byHttp],
])("a process reaches a service of the cluster with %s", async (_, script) => {
  const seen: Parameters<Send>[] = [];
  network = await openClusterNetwork(async (...call) => {
    seen.push(call);
    return { status: 202, headers: {}, body: "accepted" };
  }, none);
  expect(await run(script)).toBe("202 accepted");
  expect(seen).toHaveLength(1);
  expect(seen[0]?.[0]).toBe(ingress);
  expect(seen[0]?.[1]).toMatchObject({ headers: { "ce-id": "1" }, body: "é" });
});

test("a host that is not served is a bad gateway with the reason", async () => {
  network = await openClusterNetwork(async (url) => {
    throw new Error(`Nothing serves ${url}.`);
  }, none);
  expect(await run(byFetch)).toBe(`502 Nothing serves ${ingress}.`);
});

test.each([
  ["a Service in its path", "//web.shop.svc.cluster.local/", {}],
  ["a Service for its host", "/", { host: "web.shop.svc.cluster.local" }],
])("what a web page can send to the port of the proxy is refused: %s", async (_, path, headers) => {
  const seen: string[] = [];
  network = await openClusterNetwork(
    async () => ({ status: 202, headers: {}, body: "" }),
    async (url, _, response) => {
      seen.push(url);
      response.end();
    },
  );
  const asked = request({ port: new URL(network.url).port, path, headers, method: "POST" }).end("text");
  const [answer] = await once(asked, "response");
  expect(answer.statusCode).toBe(400);
  expect(seen).toEqual([]);
});

test("what is no event reaches a service as it is, and its answer comes as it is written", async () => {
  network = await openClusterNetwork(
    async () => ({ status: 500, headers: {}, body: "an event" }),
    async (url, request, response) => {
      response.writeHead(200).write(`${request.method} ${url} `);
      request.pipe(response);
    },
  );
  const patched = `await fetch("${ingress}?a=1", { method: "PATCH", body: "é" })`;
  const byPatch = `const a = ${patched}; console.log(await a.text());`;
  expect(await run(byPatch)).toBe(`PATCH ${ingress}?a=1 é`);
});
