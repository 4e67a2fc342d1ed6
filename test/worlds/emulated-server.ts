import { createApiServer } from "../../local/apiserver/server.ts";
import { seededRandom } from "../../local/time/random.ts";
import { virtualClock } from "../../local/time/virtual-clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { ConfigMap } from "./kinds.ts";
import { configMap } from "./manifest.ts";
import type { Server } from "./server.ts";

/** The laptop edition's API server, alone, in this process and on virtual time. */
export function emulatedServer(): Server {
  const clock = virtualClock();
  const server = createApiServer({ clock, random: seededRandom(1) });
  const as = (token: string): Client =>
    createClient(server.handle, { clock, headers: { authorization: `Bearer ${token}` } });
  const admin = createClient(server.handle, { clock });

  return {
    admin,
    transport: server.handle,
    as,
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
    async expire(token) {
      server.compact();
      return token;
    },
    async forgotten() {
      await admin.create(ConfigMap, configMap({ namespace: "default", name: "old" }));
      const [old] = await Array.fromAsync(admin.list(ConfigMap, { namespace: "default" }));
      await admin.patch(ConfigMap, "default", "old", "merge", { data: { key: "1" } });
      server.compact();
      return { kind: ConfigMap, resourceVersion: old?.metadata.resourceVersion ?? "" };
    },
    stop: async () => {},
  };
}
