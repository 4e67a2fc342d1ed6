import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A door to a server that counts what goes through it. */
export interface CountingProxy {
  readonly port: number;
  /** Bytes so far in both directions, as they are on the wire: encrypted, compressed. */
  bytes(): number;
  close(): void;
}

/**
 * Passes TCP connections on to a port of this machine. It cannot read what it passes on, so that clients of every kind,
 * and what they speak over TLS, are counted in the same way. `passing` hears of each piece, before it is passed on.
 */
export async function countingProxy(
  target: number,
  passing?: (towards: "server" | "client") => void,
): Promise<CountingProxy> {
  const sockets = new Set<Socket>();
  let bytes = 0;
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on("data", (chunk) => {
        bytes += chunk.length;
        passing?.(from === client ? "server" : "client");
      });
      from.on("error", () => to.destroy()).on("close", () => sockets.delete(from));
      from.pipe(to);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => bytes,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
