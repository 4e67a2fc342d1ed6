import type { Client } from "./client.ts";

/** Wraps a client so that telemetry sees each of its calls. */
export type Observed = (client: Client) => Client;

/**
 * A client that `open` makes for the first request, and again until it succeeds: each request throws what `open`
 * throws, so that a kubeconfig that cannot be read stops what needs it, and nothing else.
 */
export function lazyClient(open: () => Promise<Client>, observed: Observed = (client) => client): Client {
  let opened: Promise<Client> | undefined;
  const client = () => {
    opened ??= open().catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return observed({
    get: async (...all) => (await client()).get<never>(...all),
    list: async function* (...all) {
      yield* (await client()).list<never>(...all);
    },
    create: async (...all) => (await client()).create(...all),
    patch: async (...all) => (await client()).patch<never>(...all),
    delete: async (...all) => (await client()).delete(...all),
    request: async (...all) => (await client()).request(...all),
  });
}
