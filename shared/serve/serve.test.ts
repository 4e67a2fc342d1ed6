import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileCache } from "../../test/harness/compile-cache.ts";

const entry = fileURLToPath(new URL("../../functions/pvc-protection/release/index.ts", import.meta.url));

/** The function as a process, in front of an API server that answers when a test lets it. */
function start(port: number | string, environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [entry], {
    env: { ...compileCache, PATH: process.env.PATH, PORT: String(port), LOG_LEVEL: "debug", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return { child, output: () => output };
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function listening(child: ChildProcess): Promise<void> {
  for await (const line of child.stdout as AsyncIterable<Buffer>) if (String(line).includes("listens")) return;
}

const event = (change: Record<string, string> = {}) => ({
  "content-type": "application/json",
  "ce-specversion": "1.0",
  "ce-id": "e1",
  "ce-source": "test",
  "ce-type": "dev.knative.apiserver.resource.delete",
  "ce-kind": "Pod",
  "ce-apiversion": "v1",
  "ce-name": "web-0",
  "ce-namespace": "shop",
  ...change,
});
const pod = JSON.stringify({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-0", namespace: "shop", uid: "p1" },
  spec: { nodeName: "n0", volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] },
});

describe("a function as a process", () => {
  let port: number;
  let running: ReturnType<typeof start>;
  let url: string;
  beforeAll(async () => {
    port = await freePort();
    url = `http://127.0.0.1:${port}/`;
    running = start(port, { KUBECONFIG: "/nonexistent/kubeconfig" });
    await listening(running.child);
  });
  afterAll(() => running.child.kill("SIGKILL"));
  const post = async (headers: Record<string, string>, body: string) => {
    const reply = await fetch(url, { method: "POST", headers, body });
    return [reply.status, await reply.text()] as const;
  };

  test("is alive and ready", async () => {
    for (const path of ["health/live", "health/ready"]) expect((await fetch(url + path)).status).toBe(204);
  });

  test("answers an irrelevant event with an empty 204", async () => {
    expect(await post(event({ "ce-type": "dev.knative.apiserver.resource.add" }), pod)).toEqual([204, ""]);
  });

  test("reads events larger than the limits of the libraries beneath it", async () => {
    const padded = JSON.stringify({ ...JSON.parse(pod), padding: "x".repeat(3 * 1024 * 1024) });
    expect(await post(event({ "ce-type": "dev.knative.apiserver.resource.add" }), padded)).toEqual([204, ""]);
  });

  test("refuses a body of 5 MB, announced or not, and goes on", async () => {
    const body = "x".repeat(5_000_000);
    expect(await post(event(), body)).toEqual([413, "An event may have at most 4194304 bytes."]);
    const chunked = await new Promise((resolve, reject) => {
      const sending = request(url, { method: "POST", headers: event() }, (reply) => resolve(reply.statusCode));
      sending.on("error", reject);
      for (let i = 0; i < 5; i++) sending.write(body.slice(0, 1_000_000));
      sending.end();
    });
    expect(chunked).toBe(413);
    expect((await fetch(`${url}health/live`)).status).toBe(204);
  });

  test("holds few of a hundred large bodies that never end, and serves other events meanwhile", async () => {
    const sockets = Array.from({ length: 100 }, () => connect(port, "127.0.0.1"));
    const length = 4 * 1024 * 1024;
    const answers: string[] = [];
    for (const socket of sockets) {
      socket.on("error", () => {});
      socket.on("data", (data) => answers.push(String(data).split("\r\n", 1)[0] as string));
      socket.write(`POST / HTTP/1.1\r\nhost: x\r\nce-id: 1\r\ncontent-length: ${length}\r\n\r\n`);
      socket.write(Buffer.alloc(length - 1, " "));
    }
    await expect.poll(() => answers.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(96);
    expect(new Set(answers)).toEqual(new Set(["HTTP/1.1 503 Service Unavailable"]));
    expect(await post(event({ "ce-type": "dev.knative.apiserver.resource.add" }), pod)).toEqual([204, ""]);
    for (const socket of sockets) socket.destroy();
  });

  test("survives a sender that goes away in the middle of a body", async () => {
    const socket = connect(port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nhost: x\r\nce-id: 1\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n");
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 100 /);
    await new Promise((written) => socket.write("half", written));
    socket.destroy();
    expect((await fetch(`${url}health/live`)).status).toBe(204);
  });

  test("refuses other methods", async () => {
    expect((await fetch(url, { method: "PUT", body: "x" })).status).toBe(405);
    expect((await fetch(url)).status).toBe(405);
  });

  test("refuses a malformed event with one sentence and no stack", async () => {
    const [status, sentence] = await post({ ...event(), "ce-type": "" }, pod);
    expect([status, sentence]).toEqual([400, "The event's attribute type is missing or empty."]);
    const headers: Record<string, string> = event();
    expect(await post(headers, pod.slice(0, 40))).toEqual([400, "The event's data is not valid JSON."]);
  });

  test("has no credentials: 503, and says what to do", async () => {
    const [status, sentence] = await post(event(), pod);
    expect(status).toBe(503);
    expect(sentence).toMatch(/^Signing in to the cluster failed.*set KUBECONFIG\.$/);
  });

  test("has not ended or printed a stack by any of this", () => {
    expect(running.child.exitCode).toBeNull();
    expect(running.output()).not.toMatch(/^\s+at /m);
  });
});

test("unusable settings end the process at once with variable, value and what was expected", async () => {
  const { child, output } = start(await freePort(), { MODE: "lax" });
  const [code] = await once(child, "exit");
  expect(code).toBe(1);
  expect(output()).toMatch(/MODE is \\"lax\\": .*strict.*Correct the Service's environment\./);
});

test("so does a log level that is none", async () => {
  const { child, output } = start(await freePort(), { LOG_LEVEL: "verbose" });
  expect((await once(child, "exit"))[0]).toBe(1);
  expect(output()).toContain('LOG_LEVEL is \\"verbose\\": expected one of debug, info, warn, error.');
  expect(output()).not.toMatch(/^\s+at /m);
});

test.each(["http", "0x50", "0", "70000"])("so does port %s", async (port) => {
  const { child, output } = start(port, {});
  expect((await once(child, "exit"))[0]).toBe(1);
  expect(output()).toContain(`PORT is \\"${port}\\": expected a whole number from 1 to 65535.`);
  expect(output()).not.toMatch(/^\s+at /m);
});

test("and a port that is taken", async () => {
  const other = createTcpServer().listen(0);
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const { child, output } = start(port, {});
  expect((await once(child, "exit"))[0]).toBe(1);
  other.close();
  expect(output()).toMatch(new RegExp(`"rule":"[^"]+","msg":"It cannot listen on port ${port}: listen EADDRINUSE`));
  expect(output()).not.toMatch(/^\s+at /m);
});

test("SIGTERM lets the event in flight end, and takes no new one", async () => {
  let answer: () => void = () => {};
  const asked = Promise.withResolvers<void>();
  const api = createServer((_request, response) => {
    answer = () =>
      response.writeHead(404, { "content-type": "application/json" }).end('{"kind":"Status","reason":"NotFound"}');
    asked.resolve();
  }).listen(0, "127.0.0.1");
  await once(api, "listening");
  const port = await freePort();
  const server = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const kubeconfig = JSON.stringify({
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  });
  const { writeFile, rm } = await import("node:fs/promises");
  const { tmpdir } = await import("node:os");
  const file = `${tmpdir()}/holdfast-serve-${process.pid}.kubeconfig`;
  await writeFile(file, kubeconfig);
  try {
    const { child } = start(port, { KUBECONFIG: file });
    await listening(child);
    const url = `http://127.0.0.1:${port}/`;
    const reply = fetch(url, { method: "POST", headers: event(), body: pod });
    await asked.promise;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await expect
      .poll(
        () =>
          fetch(url, { method: "POST" }).then(
            () => "taken",
            () => "refused",
          ),
        { timeout: 30_000 },
      )
      .toBe("refused");
    answer();
    expect((await reply).status).toBe(204);
    expect((await ended)[0]).toBe(0);
  } finally {
    await rm(file, { force: true });
    api.close();
  }
});
