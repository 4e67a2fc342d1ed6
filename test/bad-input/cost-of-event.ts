import { seededRandom } from "../../eventing/random.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { outcomeOf } from "../../local/time/outcome-of.ts";
import { virtualClock } from "../../local/time/virtual-clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Rule, RuleTrigger } from "../../shared/rule.ts";
import { withoutSystems } from "./without-systems.ts";

/** What one event costs, in requests to the API server and to external systems. */
export interface Cost {
  readonly requests: number;
  /** The most requests to the API server that were open at the same time. */
  readonly atOnce: number;
}

/**
 * Gives an event of an object to a function, in a cluster with what `fill` creates and without external systems.
 * `object` may be looked up there.
 */
export async function costOfEvent(
  rule: Rule,
  trigger: RuleTrigger,
  change: string,
  object: (admin: Client) => Promise<KubernetesObject | undefined>,
  fill: (admin: Client) => Promise<void> = async () => {},
): Promise<Cost> {
  const clock = virtualClock();
  const server = createApiServer({ clock, random: seededRandom(1) });
  const admin = createClient(server.handle, { clock });
  await outcomeOf(clock, fill(admin), 300_000);
  const named = await outcomeOf(clock, object(admin), 60_000);
  if (!named) throw new Error(`There is no ${trigger.kind.kind} of which ${rule.name} could get an event.`);
  let requests = 0;
  let [open, atOnce] = [0, 0];
  const client = createClient(
    async (request) => {
      requests++;
      atOnce = Math.max(atOnce, ++open);
      try {
        await clock.sleep(1);
        return await server.handle(request);
      } finally {
        open--;
      }
    },
    { clock },
  );
  const handle = withoutSystems(rule.name, client, clock, () => {
    requests++;
  });
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
