import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { marksFor } from "../../functions/satellite/lib/volumes.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Rule, RuleTrigger } from "../../shared/rule.ts";
import { costOfEvent } from "./cost-of-event.ts";

// A sender that reaches a function can send it an event of an object that names any number of others.

const names = Array.from({ length: 400 }, (_, i) => `n${i}`);
/** The most that one such event may cost, in requests to the API server and to external systems. */
const mostRequests = 150;

const kinds = ["LinstorSatellite", "Volume", "StatefulSet", "Node", "NovaComputeNode", "NeutronL2Agent"];

/** An object of a kind that names hundreds of others wherever a rule may read a name. */
const forged = ({ kind }: RuleTrigger, phase: string, deletionTimestamp?: string): KubernetesObject => ({
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
      kind: kinds[i % kinds.length] ?? "",
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
          costs.push([
            `${change} ${trigger.kind.kind}`,
            (await costOfEvent(rule, trigger, change, async () => object)).requests,
          ]);
    expect(costs.filter(([, requests]) => requests > mostRequests)).toEqual([]);
  },
);
