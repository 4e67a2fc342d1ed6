import { eventingKinds } from "../../eventing/kinds.ts";
import type { Clock } from "../../shared/clock.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { type Condition, conditionOf } from "../controllers/objects/condition.ts";
import { KnativeService } from "../serving/kind.ts";

const kinds: readonly Kind[] = [...eventingKinds, KnativeService];
const patience = 180_000;

/**
 * Waits until everything of Knative on the cluster is ready.
 *
 * @throws UserError about what is refused, or not ready after three minutes, with the condition's message.
 */
export async function becomeReady(client: Client, clock: Clock, signal: AbortSignal): Promise<void> {
  const end = clock.now() + patience;
  for (;;) {
    const unready = await findUnready(client);
    if (!unready) return;
    const { object, condition } = unready;
    const name = describe(referenceTo(object));
    if (condition?.reason === "NotObeyed") throw new UserError(`${name} is refused. ${condition.message}`);
    if (clock.now() > end) throw new UserError(`${name} did not become ready. ${condition?.message ?? ""}`.trim());
    await clock.sleep(50, signal);
  }
}

async function findUnready(client: Client): Promise<{ object: KubernetesObject; condition?: Condition } | undefined> {
  for (const kind of kinds) {
    for await (const object of client.list<KubernetesObject & { status?: { conditions?: Condition[] } }>(kind)) {
      const condition = conditionOf(object.status?.conditions, "Ready");
      if (condition?.status !== "True") return { object, ...(condition ? { condition } : {}) };
    }
  }
  return undefined;
}
