import { isDeepStrictEqual } from "node:util";
import type { Eventing } from "../../../eventing/control/eventing.ts";
import { eventingKinds } from "../../../eventing/kinds.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { timestamp } from "../../../shared/kubernetes/timestamp.ts";
import type { ControllerTools, Running } from "../../controllers/controller.ts";
import { startWorkQueue } from "../../controllers/work-queue.ts";
import { statusOf } from "./status.ts";

/**
 * Keeps `eventing` at what the Brokers, Triggers and sources of a cluster say, and their status at what it does: an
 * edit takes effect with the next event.
 */
export function startEventingController(tools: ControllerTools, eventing: Eventing): Running {
  const { client, clock, reflections } = tools;
  const kinds = eventingKinds.map((kind) => ({ kind, reflection: reflections.of(kind) }));
  const synced = Promise.all(kinds.map(({ reflection }) => reflection.synced));
  const queue = startWorkQueue(tools, { controller: "eventing", ready: synced, work });
  const keyed = (kind: string, { metadata }: KubernetesObject) => `${kind}/${metadata.namespace}/${metadata.name}`;

  // Nothing runs before everything is known: a broker without its Triggers would pass events over.
  void synced.then(() => {
    eventing.declare(kinds.flatMap(({ reflection }) => reflection.list()));
    for (const { kind, reflection } of kinds) {
      reflection.on((change, object) => {
        if (change === "delete") eventing.withdraw(kind.kind, object.metadata.namespace ?? "", object.metadata.name);
        else eventing.declare([object]);
        queue.add(keyed(kind.kind, object));
      });
    }
    eventing.onChange(() => {
      for (const { kind, reflection } of kinds) {
        for (const object of reflection.list()) queue.add(keyed(kind.kind, object));
      }
    });
  });

  async function work(key: string): Promise<void> {
    const [kindName, namespace = "", name = ""] = key.split("/");
    const entry = kinds.find(({ kind }) => kind.kind === kindName);
    const object = entry?.reflection.get(namespace, name);
    const standing = entry && eventing.standing(entry.kind.kind, namespace, name);
    if (!entry || !object || !standing) return;
    const before = (object.status ?? {}) as Record<string, unknown>;
    const status = statusOf(object, standing, timestamp(clock.now()));
    if (isDeepStrictEqual(before, status)) return;
    const gone = Object.keys(before).filter((field) => !(field in status));
    const patch = { status: { ...Object.fromEntries(gone.map((field) => [field, null])), ...status } };
    await client.patch(entry.kind, namespace, name, "merge", patch, { subresource: "status" });
  }

  return { synced };
}
