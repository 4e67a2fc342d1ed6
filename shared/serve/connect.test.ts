import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Namespace } from "../kubernetes/kind.ts";
import { connect } from "./connect.ts";

test("a function has at most 32 requests at the API server at the same time", async () => {
  const open: ServerResponse[] = [];
  const server = createServer((_request, response) => void open.push(response)).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const folder = mkdtempSync(join(tmpdir(), "connect-"));
  try {
    const file = join(folder, "kubeconfig");
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const kubeconfig = {
      clusters: [{ name: "c", cluster: { server: address, "insecure-skip-tls-verify": true } }],
      users: [{ name: "u", user: { token: "t" } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    };
    writeFileSync(file, JSON.stringify(kubeconfig));
    const client = connect(file);
    const reads = Promise.all(Array.from({ length: 100 }, (_, index) => client.get(Namespace, undefined, `n${index}`)));
    let answered = 0;
    while (answered < 100) {
      await expect.poll(() => open.length, { timeout: 30_000 }).toBe(Math.min(32, 100 - answered));
      for (const response of open.splice(0)) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "n", uid: "u" } }));
        answered++;
      }
    }
    expect(await reads).toHaveLength(100);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
});
