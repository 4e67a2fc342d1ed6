import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { output, ZodObject } from "zod";
import { type Clock, systemClock } from "../clock.ts";
import { readSettings, SettingsError, variableOf } from "../settings.ts";
import type { Connect } from "../system/connect.ts";
import { type ExternalSystem, type Systems, type SystemTools, urlSettingOf } from "../system/system.ts";
import type { SystemTransport } from "../system/transport.ts";

/** Where the kubelet mounts the Secret of each system; `HOLDFAST_CREDENTIALS` names another folder. */
const mounted = "/etc/holdfast";

type Environment = Readonly<Record<string, string | undefined>>;

/** What stands before the transports of a system. */
export type Guard = (system: ExternalSystem, transport: SystemTransport) => SystemTransport;

/**
 * The clients of a function's systems, each built once, from settings in the environment and credentials in files.
 * Their HTTP is imported when the first request is sent, which goes through `guard`.
 *
 * @throws SettingsError at once when a setting cannot be used, so that a new Revision never becomes ready.
 */
export function connectSystems(
  systems: Systems,
  environment: Environment,
  clock: Clock = systemClock,
  guard: Guard = (_, transport) => transport,
): Connect {
  const folder = environment.HOLDFAST_CREDENTIALS || mounted;
  const clients = new Map<unknown, unknown>();
  for (const system of Object.values(systems)) {
    const settings = readSettings(system.settings, environment);
    const credential = (name: string) => readCredential(join(folder, system.name, name));
    const transportTo = transports((root) => guard(system, lazyTransport(root, credential)));
    const transport = transportTo(rootOf(system, settings));
    clients.set(system, system.connect({ transport, transportTo, clock, settings, credential }));
  }
  return <Client>(system: ExternalSystem<Client>) => {
    if (!clients.has(system)) throw new Error(`The function does not declare the system ${system.name}.`);
    return clients.get(system) as Client;
  };
}

function rootOf<Schema extends ZodObject>(system: ExternalSystem<unknown, Schema>, settings: output<Schema>): string {
  const setting = urlSettingOf(system);
  const url = String(settings[setting] ?? "").replace(/\/+$/, "");
  if (!/^https?:\/\/[^/]+/.test(url))
    throw new SettingsError(`${variableOf(setting)} is ${JSON.stringify(url)}: expected the root of an HTTP service.`);
  return url;
}

/** One transport for each root, whose connections are used again. */
function transports(make: (root: string) => SystemTransport): SystemTools<unknown>["transportTo"] {
  const made = new Map<string, SystemTransport>();
  return (root) => {
    const transport = made.get(root) ?? make(root);
    made.set(root, transport);
    return transport;
  };
}

function lazyTransport(root: string, credential: SystemTools<unknown>["credential"]): SystemTransport {
  let transport: SystemTransport | undefined;
  return async (request) => {
    transport ??= (await import("../system/http-transport.ts")).httpTransport(root, credential);
    return transport(request);
  };
}

async function readCredential(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
