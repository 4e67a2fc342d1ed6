import type { Credentials } from "../../../build/images/registry/credentials/credentials.ts";
import type { RegistryAccess } from "../../../build/images/registry/registry.ts";
import { openTransport } from "../../../build/images/registry/transport.ts";

/**
 * Registries as the builder reaches them, but without waits between tries; `pauses` gets how long it would have been.
 */
export function impatient(login?: Credentials, pauses: number[] = []): RegistryAccess {
  return {
    transport: openTransport(false),
    insecureTransport: openTransport(true),
    insecure: false,
    patience: { tries: 3, pause: 500, sleep: async (milliseconds) => void pauses.push(milliseconds) },
    credentials: async () => login,
  };
}
