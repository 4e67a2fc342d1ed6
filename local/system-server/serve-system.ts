import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { SystemRequest, SystemTransport } from "../../shared/system/transport.ts";
import { type Listening, listen } from "./listen.ts";

/** A stand-in on a port of this machine. */
export interface SystemServer extends Pick<Listening, "close"> {
  /** `http://127.0.0.1:<port>`, or `https`, for the setting `<name>Url` of a system. */
  readonly url: string;
}

/** In PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Puts a stand-in on a free port of loopback, in plain HTTP, or in TLS where it has a certificate. */
export async function serveSystem(transport: SystemTransport, certificate?: Certificate): Promise<SystemServer> {
  const take = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // What the stand-in does not answer, and what is not answered whole, ends with the connection.
    serve(transport, incoming, outgoing).catch(() => outgoing.destroy());
  };
  const server = certificate ? createTlsServer({ ...certificate }, take) : createServer(take);
  const { port, close } = await listen(server);
  return { url: `${certificate ? "https" : "http"}://127.0.0.1:${port}`, close };
}

const longestBody = 1024 * 1024;

async function serve(transport: SystemTransport, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort(new Error("The client has gone.")));
  let body = "";
  for await (const chunk of incoming.setEncoding("utf8")) {
    body += chunk;
    if (body.length > longestBody) throw new Error("The request is too long.");
  }
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  const method = incoming.method as SystemRequest["method"];
  // To LINSTOR no body at all is something else than an empty one.
  const given = "content-length" in headers || "transfer-encoding" in headers ? { body } : {};
  const answer = await transport({ method, path: incoming.url ?? "/", headers, ...given, signal: gone.signal });
  outgoing.writeHead(answer.status, answer.headers).end(answer.body);
}
