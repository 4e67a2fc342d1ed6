import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { seededRandom } from "../../eventing/random.ts";
import { marksFor } from "../../functions/satellite/lib/volumes.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { outcomeOf } from "../../local/time/outcome-of.ts";
import { virtualClock } from "../../local/time/virtual-clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { Rule, RuleTrigger } from "../../shared/rule.ts";
import { readSettings } from "../../shared/settings.ts";
import { atOneRoot } from "../../shared/system/testing/at-one-root.ts";
import { functions } from "../harness/functions.ts";

// Whoever reaches a function can send it an event of an object that names any number of others.

const names = Array.from({ length: 400 }, (_, i) => `n${i}`);
/** The most that one such event may cost, in requests to the API server and to external systems. */
const mostRequests = 150;

const kinds = ["LinstorSatellite", "Volume", "StatefulSet", "Node", "NovaComputeNode", "NeutronL2Agent"];

/** An object of a kind that names hundreds of others wherever a rule may read a name. */
const forged = ({ kind }: RuleTrigger, phase: string, deletionTimestamp?: string) => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: {
    name: "forged",
    ...(kind.namespaced ? { namespace: "shop" } : {}),
    uid: "u1",
    resourceVersion: "1",
    ...(deletionTimestamp ? { deletionTimestamp } : {}),
    finalizers: names.map((name) => `example.com/${name}`),
    annotations: Object.fromEntries(
      names.flatMap((name) => Object.values(marksFor(name)).map((key) => [key, "true"] as const)),
    ),
    labels: Object.fromEntries(names.map((name) => [name, name])),
    ownerReferences: names.map((name, i) => ({
      apiVersion: "v1",
      kind: kinds[i % kinds.length],
      name,
      uid: name,
      controller: true,
    })),
  },
  spec: {
    nodeName: "n1",
    volumeName: "n1",
    volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    csi: { driver: "linstor.csi.linbit.com" },
    claimRef: { namespace: "shop", name: "n1" },
  },
  status: { phase, conditions: names.map((type) => ({ type, status: "False" })), nodeRef: { name: "n1" } },
});

/** Gives an event to a function in a cluster with nothing in it, and counts its requests. */
async function requestsFor(rule: Rule, trigger: RuleTrigger, change: string, object: object): Promise<number> {
  const clock = virtualClock();
  const random = seededRandom(1);
  const server = createApiServer({ clock, random });
  let requests = 0;
  const client = createClient(
    (request) => {
      requests++;
      return server.handle(request);
    },
    { clock },
  );
  const quiet = () => {};
  const handle = functions[rule.name]?.({
    client: () => client,
    connect: (system) =>
      system.connect({
        ...atOneRoot(() => {
          requests++;
          return Promise.reject(new Error("connection refused"));
        }),
        clock,
        settings: readSettings(system.settings, {}),
        credential: async () => undefined,
      }),
    clock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    environment: {},
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
    "ce-name": "forged",
    "ce-namespace": kind.namespaced ? "shop" : "",
  };
  await outcomeOf(clock, handle({ headers, body: JSON.stringify(object) }), 300_000);
  return requests;
}

const declared = await loadDeclared(fileURLToPath(new URL("../..", import.meta.url)));
const rules = declared.filter((one): one is Rule => (one.triggers?.length ?? 0) > 0);

test.each(rules.map((rule) => [rule.name, rule] as const))(
  "%s asks little for a forged event of an object that names hundreds of others",
  async (_, rule) => {
    const costs: [string, number][] = [];
    for (const trigger of rule.triggers)
      for (const change of trigger.signal ? ["signal"] : trigger.changes)
        for (const object of [
          forged(trigger, "Pending"),
          forged(trigger, "Released"),
          forged(trigger, "Running", "2026-01-01T00:00:00Z"),
        ])
          costs.push([`${change} ${trigger.kind.kind}`, await requestsFor(rule, trigger, change, object)]);
    expect(costs.filter(([, requests]) => requests > mostRequests)).toEqual([]);
  },
);
