import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

/** A server as it listens. */
export interface Listening {
  readonly port: number;
  /** Ends every connection; resolves when the port is free. */
  close(): Promise<void>;
}

/** Has a server listen, on a free port of loopback unless it says otherwise. Rejects when the port is taken. */
export async function listen(server: Server & { closeAllConnections(): void }, port = 0): Promise<Listening> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
