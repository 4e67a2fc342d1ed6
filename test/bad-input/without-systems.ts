import type { Clock } from "../../shared/clock.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { readSettings } from "../../shared/settings.ts";
import { atOneRoot } from "../../shared/system/testing/at-one-root.ts";
import { functions, type Handler } from "../harness/functions.ts";

const quiet = () => {};

/**
 * A function with its default settings, to which no external system answers: what looks at one says so, and is tried
 * again. `called` hears of each request to one.
 */
export function withoutSystems(
  name: string,
  client: Client,
  clock: Clock,
  called: (path: string) => void = quiet,
): Handler {
  const start = functions[name];
  if (!start) throw new Error(`There is no function ${name}.`);
  let ids = 0;
  return start({
    client: () => client,
    connect: (system) =>
      system.connect({
        ...atOneRoot(({ path }) => {
          called(path);
          return Promise.reject(new Error("connection refused"));
        }),
        clock,
        settings: readSettings(system.settings, {}),
        credential: async () => "secret",
      }),
    clock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    environment: {},
    post: async () => ({ status: 202, headers: {}, body: "" }),
    id: () => `event-${++ids}`,
  });
}
