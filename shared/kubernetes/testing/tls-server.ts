import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificates } from "./certificates.ts";

/** A server on loopback that speaks TLS, and a folder for the files that a kubeconfig names. */
export interface TlsServer {
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  /** Writes a file and returns its path. */
  write(name: string, content: string): Promise<string>;
  /** Writes a kubeconfig that leads here, with these additions to its cluster and its user, and returns its path. */
  kubeconfig(user?: object, cluster?: object): Promise<string>;
  close(): Promise<void>;
}

export const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Starts a server that asks for a client certificate and takes anybody without. */
export async function tlsServer(answer: RequestListener): Promise<TlsServer> {
  const { authority: ca, server: own } = certificates;
  const server = createServer({ ...own, ca, requestCert: true, rejectUnauthorized: false }, answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = await mkdtemp(join(tmpdir(), "holdfast-tls-"));
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const write = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  return {
    server,
    port,
    url,
    write,
    kubeconfig(user = {}, cluster = {}) {
      const config = {
        clusters: [{ name: "c", cluster: { server: url, "certificate-authority-data": base64(ca), ...cluster } }],
        users: [{ name: "u", user }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      };
      return write("kubeconfig", JSON.stringify(config));
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await rm(folder, { recursive: true });
    },
  };
}
