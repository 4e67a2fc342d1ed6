import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { output, ZodObject } from "zod";
import { type Clock, systemClock } from "../clock.ts";
import { readSettings, SettingsError } from "../settings.ts";
import type { Connect } from "../system/connect.ts";
import type { ExternalSystem, Systems, SystemTools } from "../system/system.ts";
import type { SystemTransport } from "../system/transport.ts";

/** Where the kubelet mounts the Secret of each system; `HOLDFAST_CREDENTIALS` names another folder. */
const mounted = "/etc/holdfast";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The clients of a function's systems, each built once, from settings in the environment and credentials in files.
 * Their HTTP is imported when the first request is sent.
 *
 * @throws SettingsError at once when a setting cannot be used, so that a new Revision never becomes ready.
 */
export function connectSystems(systems: Systems, environment: Environment, clock: Clock = systemClock): Connect {
  const folder = environment.HOLDFAST_CREDENTIALS || mounted;
  const clients = new Map<unknown, unknown>();
  for (const system of Object.values(systems)) {
    const settings = readSettings(system.settings, environment);
    const credential = (name: string) => readCredential(join(folder, system.name, name));
    const transportTo = transports(credential);
    const transport = transportTo(rootOf(system, settings));
    clients.set(system, system.connect({ transport, transportTo, clock, settings, credential }));
  }
  return <Client>(system: ExternalSystem<Client>) => {
    if (!clients.has(system)) throw new Error(`The function does not declare the system ${system.name}.`);
    return clients.get(system) as Client;
  };
}

function rootOf<Schema extends ZodObject>({ name }: ExternalSystem<unknown, Schema>, settings: output<Schema>): string {
  const url = String(settings[`${name}Url`] ?? "").replace(/\/+$/, "");
  if (!/^https?:\/\/[^/]+/.test(url))
    throw new SettingsError(
      `${name.toUpperCase()}_URL is ${JSON.stringify(url)}: expected the root of an HTTP service.`,
    );
  return url;
}

/** One transport for each root, whose connections are used again. */
function transports(credential: SystemTools<unknown>["credential"]): SystemTools<unknown>["transportTo"] {
  const made = new Map<string, SystemTransport>();
  return (root) => {
    const transport = made.get(root) ?? lazyTransport(root, credential);
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
