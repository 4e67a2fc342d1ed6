import { PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { ApiResponse } from "../../../shared/kubernetes/transport.ts";
import { apiFailure } from "../../harness/api-failure.ts";
import type { Call, Cluster } from "../../harness/cluster.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateSet,
  changePolicy,
  claimName,
  claimOf,
  type Data,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  isInForce,
  podIsGone,
  podsRun,
  policyKey,
  runningSet,
  scale,
  set,
  setIsGone,
  setOf,
} from "./helpers.ts";
import { both, onDeletion } from "./policies.ts";
import { byDefault } from "./settings.ts";

type Fault = (send: () => Promise<ApiResponse>) => Promise<ApiResponse>;

const faults: readonly (readonly [string, Fault])[] = [
  ["answered with a conflict", async () => apiFailure(409, "Conflict")],
  ["answered with 500", async () => apiFailure(500, "InternalError")],
  ["answered with 503", async () => apiFailure(503, "ServiceUnavailable")],
  ["answered with 429", async () => apiFailure(429, "TooManyRequests", { "retry-after": "1" })],
  ["never sent", () => Promise.reject(new Error("connection refused"))],
  [
    "done, but their answers are lost",
    async (send) => {
      await send();
      throw new Error("connection reset");
    },
  ],
];

const isWrite = ({ request: { method, path } }: Call) => method !== "GET" && !/\/events(\/|$)/.test(path);

/** The first two writes of every function fail. Returns how many did. */
function disturbWrites(cluster: Cluster, fault: Fault): () => number {
  const met = new Map<string, number>();
  cluster.intercept((call, send) => {
    const before = met.get(call.rule) ?? 0;
    if (before === 2 || !call.rule.startsWith("pvc-retention/") || !isWrite(call)) return send();
    met.set(call.rule, before + 1);
    return fault(send);
  });
  return () => [...met.values()].reduce((sum, count) => sum + count, 0);
}

/** From a set without a policy to its deletion: claims that have to stay stay, and others are deleted. */
async function life(cluster: Cluster, disturb: () => void = () => {}): Promise<void> {
  await runningSet(cluster, { replicas: 3 });
  const [first, second, third] = (await dataOf(cluster, [0, 1, 2])) as [Data, Data, Data];
  disturb();
  await changePolicy(cluster, both);
  await scale(cluster, 2);
  await dataGoes(cluster, [2], [third]);
  await podsRun(cluster, 2);

  disturb();
  await changePolicy(cluster, "Retain");
  await scale(cluster, 1);
  await podIsGone(cluster, 1);
  await dataStays(cluster, [0, 1], [first, second]);

  disturb();
  await changePolicy(cluster, onDeletion);
  await deleteSet(cluster);
  await dataGoes(cluster, [0, 1], [first, second]);
}

const disturbed: readonly Scenario[] = [
  ...faults.flatMap(([what, fault]): Scenario[] => [
    {
      title: `a set's claims are deleted by its policy although the first writes of every function are ${what}`,
      async run(cluster) {
        const met: (() => number)[] = [];
        await life(cluster, () => met.push(disturbWrites(cluster, fault)));
        isMet(met);
      },
    },
  ]),
  {
    title: "every event twice changes nothing",
    async run(cluster) {
      cluster.fate(() => [0, 0]);
      await life(cluster);
    },
  },
  {
    title: "events in another order change nothing",
    async run(cluster) {
      let count = 0;
      cluster.fate(() => [(++count % 3) * 300]);
      await life(cluster);
    },
  },
  ...[0, 1, 2, 3, 5, 8].map(
    (survived): Scenario => ({
      title: `if functions die after ${survived} calls, their next instances go on`,
      async run(cluster) {
        await life(cluster, () => {
          let left = survived;
          // Dead: nothing goes out any more, until the next event starts another.
          cluster.intercept(({ rule }, send) => {
            if (!rule.startsWith("pvc-retention/")) return send();
            left--;
            return left >= 0 || left < -4 ? send() : Promise.reject(new Error("killed"));
          });
        });
      },
    }),
  ),
  {
    title: "two instances of every function at once do what one does",
    async run(cluster) {
      const rules = ["sync-policy", "set-owner"].map((rule) => `pvc-retention/${rule}`);
      const instances = [...rules, ...rules].map((rule) => cluster.instance(rule));
      const hand = { change: "sweep", kind: StatefulSet, name: set } as const;
      /** No event comes, and all instances are asked at the same moment, until it is done. */
      const together = async (what: string, done: () => Promise<boolean>) => {
        for (const begun = cluster.clock.now(); cluster.clock.now() < begun + 180_000 && !(await done()); ) {
          await Promise.all(instances.map((instance) => instance(hand)));
          const asked = cluster.clock.now();
          await cluster.eventually("a moment passes", () => cluster.clock.now() >= asked + 100);
        }
        if (!(await done())) throw new Error(`Not within three minutes: ${what}.`);
      };
      await runningSet(cluster, { replicas: 2 });
      const data = await dataOf(cluster, [0, 1]);
      cluster.fate(({ kind }) => (kind === "StatefulSet" || kind === "Pod" ? [] : undefined));
      await annotateSet(cluster, { [policyKey]: both });
      await together("the policy is in force", async () => isInForce(await setOf(cluster), both));
      await scale(cluster, 1);
      await together("the claim of the replica goes", async () => {
        return (await claimOf(cluster, 1))?.metadata.uid !== data[1]?.claim;
      });
      const { admin, namespace } = cluster;
      await admin.delete(StatefulSet, namespace, set, { propagationPolicy: "Background" });
      await together("the set goes", async () => !(await admin.get(StatefulSet, namespace, set)));
      await setIsGone(cluster);
      await dataGoes(cluster, [0], data);
    },
  },
  {
    title: "forged events change nothing that a fresh read would not change",
    async run(cluster) {
      const live = await runningSet(cluster, { policy: both });
      const data = await dataOf(cluster, [0, 1]);
      const claim = await claimOf(cluster, 1);
      const rules = ["sync-policy", "set-owner"];
      const gone = { ...live, metadata: { ...live.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
      const lies = [
        { change: "update", kind: StatefulSet, name: set, object: gone },
        { change: "update", kind: StatefulSet, name: set, object: { ...live, spec: { ...live.spec, replicas: 0 } } },
        { change: "delete", kind: StatefulSet, name: set, object: live },
        { change: "sweep", kind: StatefulSet, name: "no-such-set" },
        { change: "delete", kind: PersistentVolumeClaim, name: claimName(1), ...(claim ? { object: claim } : {}) },
        { change: "sweep", kind: PersistentVolumeClaim, name: claimName(1) },
      ] as const;
      for (const rule of rules) for (const lie of lies) await cluster.instance(`pvc-retention/${rule}`)(lie);
      await dataStays(cluster, [0, 1], data);
      await podsRun(cluster, 2);
    },
  },
];

function isMet(met: readonly (() => number)[]): void {
  for (const [part, count] of met.entries())
    if (count() === 0) throw new Error(`No write of part ${part} met the fault.`);
}

/** Faults on the way, after which everything is as without them. */
export const disturbance: readonly Scenario[] = disturbed.map((scenario) => ({
  ...scenario,
  within: true,
  settings: [byDefault],
}));
