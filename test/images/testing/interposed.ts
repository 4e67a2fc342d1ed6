import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createRawServer, type Server, type Socket } from "node:net";

/** Something that stands between who pushes and a registry. */
export interface Interposed {
  /** `127.0.0.1:<port>`, to push to in the registry's place. */
  readonly host: string;
  /** What has come through, as `METHOD /path`, in order. */
  readonly seen: readonly string[];
  stop(): Promise<void>;
}

/**
 * Passes requests on to a registry, unless `intercept` answers that it has dealt with one itself, by an answer or by
 * cutting the connection.
 */
export async function interpose(
  port: number,
  intercept: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean | Promise<boolean>,
): Promise<Interposed> {
  const seen: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url?.split("?")[0]}`);
    if (await intercept(incoming, outgoing)) return;
    const { method, url: path, headers } = incoming;
    // The registry gives addresses with the host that it was asked by, so it must hear ours.
    const onward = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  return listening(server, seen, () => server.closeAllConnections());
}

/**
 * Gives a registry the first `bytes` of a request's body, waits until it has them, and cuts the connections to both
 * sides. For `intercept`.
 */
export async function cutAfter(bytes: number, port: number, incoming: IncomingMessage): Promise<void> {
  const { method, url: path, headers, socket } = incoming;
  const onward = request({ host: "127.0.0.1", port, method, path, headers });
  onward.on("error", () => {});
  let passed = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, bytes - passed);
    passed += part.length;
    await new Promise((written) => onward.write(part, written));
    if (passed >= bytes) break;
  }
  onward.destroy();
  socket.destroy();
}

/** A proxy of the kind that `HTTPS_PROXY` names: connects a client that asks for `name` to `port` of this machine. */
export async function startProxy(name: string, port: number): Promise<Interposed> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    return socket;
  };
  const server = createRawServer((client) => {
    keep(client).once("data", (head: Buffer) => {
      const [line = ""] = head.toString("latin1").split("\r\n");
      seen.push(line);
      if (!line.startsWith(`CONNECT ${name}:`)) return client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      const onward = keep(connect(port, "127.0.0.1"));
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      client.pipe(onward).pipe(client);
    });
  });
  return listening(server, seen, () => {
    for (const socket of sockets) socket.destroy();
  });
}

async function listening(server: Server, seen: readonly string[], cut: () => void): Promise<Interposed> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async stop() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
