import type { ExternalSystem } from "./system.ts";

/** Gives out the client of a system: over HTTP in production, over a stand-in's transport in tests and simulations. */
export type Connect = <Client>(system: ExternalSystem<Client>) => Client;
