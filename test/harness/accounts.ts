import type { Transport } from "../../shared/kubernetes/transport.ts";
import type { Installation } from "./installation.ts";
import type { Server } from "./server.ts";
import { tokenOf } from "./service-account.ts";

/** The API as each service account of an installation. */
export interface Accounts {
  /** Connects those accounts that are not connected yet. */
  connect(named: Installation["accounts"]): Promise<void>;
  /** The API as this account. Throws when the manifests have no such account. */
  identify(namespace: string, name: string): Transport;
}

/** `around`: what stands between an account and the API server. */
export function createAccounts(
  { admin, connect }: Pick<Server, "admin" | "connect">,
  around: (name: string, transport: Transport) => Transport = (_, transport) => transport,
): Accounts {
  const transports = new Map<string, Transport>();
  return {
    async connect(named) {
      for (const { namespace, name } of named) {
        if (transports.has(`${namespace}/${name}`)) continue;
        transports.set(`${namespace}/${name}`, around(name, connect(await tokenOf(admin, namespace, name))));
      }
    },
    identify(namespace, name) {
      const transport = transports.get(`${namespace}/${name}`);
      if (!transport) throw new Error(`The manifests have no service account ${namespace}/${name}.`);
      return transport;
    },
  };
}
