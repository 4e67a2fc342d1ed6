import { setTimeout as sleep } from "node:timers/promises";
import { configFiles, readConfigs } from "./credentials/docker-config.ts";
import { findCredentials } from "./credentials/find-credentials.ts";
import type { RegistryAccess } from "./registry.ts";
import { openTransport } from "./transport.ts";

/** Registries as this machine and this user reach them. */
export function registryAccessOf(environment: NodeJS.ProcessEnv, insecure: boolean): RegistryAccess {
  const configs = readConfigs(configFiles(environment));
  // Told to who asks for a login; who needs none is not to be troubled by a configuration that is broken.
  configs.catch(() => {});
  return {
    transport: openTransport(false),
    insecureTransport: openTransport(true),
    insecure,
    patience: { tries: 5, pause: 500, sleep: (milliseconds) => sleep(milliseconds) },
    credentials: async ({ host, path }) => findCredentials(await configs, host, path),
  };
}
