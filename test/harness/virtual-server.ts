import type { Random } from "../../eventing/random.ts";
import { type ApiServerOptions, createApiServer } from "../../local/apiserver/server.ts";
import type { VirtualClock } from "../../local/time/testing/virtual-clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import type { Setting } from "./cluster.ts";
import { ConfigMap } from "./kinds.ts";
import { configMap } from "./manifest.ts";
import type { Server } from "./server.ts";

const adminToken = "admin";

/** The API server of a setting, ready to be asked. */
export async function openVirtualServer(
  { inTree, guardsOwnerReferences = true }: Setting,
  clock: VirtualClock,
  random: Random,
  options: Partial<ApiServerOptions> = {},
): Promise<Server> {
  const server = virtualServer(clock, random, {
    objectInUseProtection: inTree,
    ownerReferencesPermissionEnforcement: guardsOwnerReferences,
    ...options,
  });
  // What the server loads when it is first asked takes real time, of which a virtual clock knows nothing.
  await server.admin.request("GET", "/apis");
  return server;
}

/** The laptop edition's API server, alone, in this process, with RBAC, on virtual time. */
export function virtualServer(clock: VirtualClock, random: Random, options: Partial<ApiServerOptions> = {}): Server {
  const server = createApiServer({
    rbac: true,
    ownerReferencesPermissionEnforcement: true,
    tokens: { [adminToken]: { user: "admin", groups: ["system:masters", "system:authenticated"] } },
    ...options,
    clock,
    random,
  });
  const connect =
    (token: string): Transport =>
    (request) =>
      server.handle({ ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } });
  const transport = connect(adminToken);
  let names = 0;
  const admin = createClient(transport, { clock });

  return {
    admin,
    transport,
    connect,
    clock,
    async eventually<T>(what: string, check: () => T | Promise<T>, within = 30_000) {
      let value: T | undefined;
      const done = async () => {
        value = await check();
        return value !== undefined && value !== false;
      };
      if (!(await clock.runUntil(done, within))) throw new Error(`Not within ${within} ms: ${what}.`);
      return value as Exclude<T, false | undefined>;
    },
    guardsOwnerReferences: options.ownerReferencesPermissionEnforcement ?? true,
    async expire(token) {
      server.compact();
      return token;
    },
    async expiredVersion() {
      const old = await admin.create(ConfigMap, configMap({ namespace: "default", name: "old" }));
      await admin.patch(ConfigMap, "default", "old", "merge", { data: { key: "1" } });
      server.compact();
      return { kind: ConfigMap, resourceVersion: old.metadata.resourceVersion };
    },
    freshName: () => `scenario-${++names}`,
    throwaway: true,
    stop: async () => server.close(),
  };
}
