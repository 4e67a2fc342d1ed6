import { type Random, seededRandom } from "../../eventing/random.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import type { Clock } from "../../shared/clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Rule, RuleTrigger } from "../../shared/rule.ts";
import { readSettings } from "../../shared/settings.ts";
import { urlSettingOf } from "../../shared/system/system.ts";
import type { SystemTransport } from "../../shared/system/transport.ts";
import { functions } from "../harness/functions.ts";

/** What one event costs, in requests to the API server and to external systems. */
export interface Cost {
  readonly requests: number;
  /** The most of these requests that were open at the same time. */
  readonly atOnce: number;
}

/** Starts an external system: what answers at its roots, and the settings of the function. */
export type Reach = (
  clock: Clock,
  random: Random,
) => Promise<{
  readonly transportTo: (root: string) => SystemTransport;
  readonly environment: Readonly<Record<string, string>>;
}>;

/** No external system is there. */
export const refused: Reach = async () => ({
  transportTo: () => () => Promise.reject(new Error("connection refused")),
  environment: {},
});

/**
 * Gives an event of an object to a function, in a cluster with what `fill` creates, and with the external system of
 * `reach`. `object` may be looked up there.
 */
export async function costOfEvent(
  rule: Rule,
  trigger: RuleTrigger,
  change: string,
  object: (admin: Client) => Promise<KubernetesObject | undefined>,
  fill: (admin: Client) => Promise<void> = async () => {},
  reach: Reach = refused,
): Promise<Cost> {
  const clock = virtualClock();
  const random = seededRandom(1);
  const server = createApiServer({ clock, random });
  const admin = createClient(server.handle, { clock });
  await outcomeOf(clock, fill(admin), 300_000);
  const named = await outcomeOf(clock, object(admin), 60_000);
  if (!named) throw new Error(`There is no ${trigger.kind.kind} of which ${rule.name} could get an event.`);
  const { transportTo, environment } = await outcomeOf(clock, reach(clock, random), 300_000);
  let requests = 0;
  let [open, atOnce] = [0, 0];
  const counted =
    <Request, Response>(send: (request: Request) => Promise<Response>) =>
    async (request: Request): Promise<Response> => {
      requests++;
      atOnce = Math.max(atOnce, ++open);
      try {
        await clock.sleep(1);
        return await send(request);
      } finally {
        open--;
      }
    };
  const client = createClient(counted(server.handle), { clock });
  const quiet = () => {};
  const handle = functions[rule.name]?.({
    client: () => client,
    connect: (system) => {
      const settings = readSettings(system.settings, environment);
      const to = (root: string) => counted(transportTo(root));
      const transport = to(String(settings[urlSettingOf(system)]));
      const credential = async (name: string) => (name === "password" ? "secret" : undefined);
      return system.connect({ transport, transportTo: to, clock, settings, credential });
    },
    clock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    environment,
    post: async () => ({ status: 202, headers: {}, body: "" }),
    id: random.uuid,
  });
  if (!handle) throw new Error(`There is no function ${rule.name}.`);
  const { kind } = trigger;
  const headers = {
    "content-type": "application/json",
    "ce-specversion": "1.0",
    "ce-id": "1",
    "ce-source": "forged",
    "ce-type": trigger.signal ?? `dev.knative.apiserver.resource.${change}`,
    "ce-kind": kind.kind,
    "ce-apiversion": kind.apiVersion,
    "ce-name": named.metadata.name,
    "ce-namespace": named.metadata.namespace ?? "",
  };
  await outcomeOf(clock, handle({ headers, body: JSON.stringify(named) }), 600_000);
  return { requests, atOnce };
}
