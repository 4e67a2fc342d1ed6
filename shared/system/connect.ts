import type { ClientsOf, ExternalSystem, Systems } from "./system.ts";

/** Gives out the client of a system: over HTTP in production, over a stand-in's transport in tests and simulations. */
export type Connect = <Client>(system: ExternalSystem<Client>) => Client;

/** A client for each system of the rule, under the system's name. */
export function clientsOf<Used extends Systems>(
  { systems }: { readonly systems?: Used },
  connect: Connect,
): ClientsOf<Used> {
  const clients = Object.entries(systems ?? {}).map(([name, system]) => [name, connect(system)]);
  return Object.fromEntries(clients) as ClientsOf<Used>;
}
