import { PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { ApiResponse } from "../../../shared/kubernetes/transport.ts";
import { answer } from "../../worlds/answer.ts";
import type { Call, World } from "../../worlds/world.ts";
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
  ["answered with a conflict", async () => answer(409, "Conflict")],
  ["answered with 500", async () => answer(500, "InternalError")],
  ["answered with 503", async () => answer(503, "ServiceUnavailable")],
  ["answered with 429", async () => answer(429, "TooManyRequests", { "retry-after": "1" })],
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

/** The first two writes of every function meet a fault. Returns how many did. */
function disturbWrites(world: World, fault: Fault): () => number {
  const met = new Map<string, number>();
  world.intercept((call, send) => {
    const before = met.get(call.rule) ?? 0;
    if (before === 2 || !call.rule.startsWith("pvc-retention/") || !isWrite(call)) return send();
    met.set(call.rule, before + 1);
    return fault(send);
  });
  return () => [...met.values()].reduce((sum, count) => sum + count, 0);
}

/** From a set without a policy to its end: what is to stay stays, and what is to go goes. */
async function life(world: World, disturb: () => void = () => {}): Promise<void> {
  await runningSet(world, { replicas: 3 });
  const [first, second, third] = (await dataOf(world, [0, 1, 2])) as [Data, Data, Data];
  disturb();
  await changePolicy(world, both);
  await scale(world, 2);
  await dataGoes(world, [2], [third]);
  await podsRun(world, 2);

  disturb();
  await changePolicy(world, "Retain");
  await scale(world, 1);
  await podIsGone(world, 1);
  await dataStays(world, [0, 1], [first, second]);

  disturb();
  await changePolicy(world, onDeletion);
  await deleteSet(world);
  await dataGoes(world, [0, 1], [first, second]);
}

const disturbed: readonly Scenario[] = [
  ...faults.flatMap(([what, fault]): Scenario[] => [
    {
      title: `a set and its claims come to their end although the first writes of every function are ${what}`,
      async run(world) {
        const met: (() => number)[] = [];
        await life(world, () => met.push(disturbWrites(world, fault)));
        isMet(met);
      },
    },
  ]),
  {
    title: "every event twice changes nothing",
    async run(world) {
      world.fate(() => [0, 0]);
      await life(world);
    },
  },
  {
    title: "events in another order change nothing",
    async run(world) {
      let count = 0;
      world.fate(() => [(++count % 3) * 300]);
      await life(world);
    },
  },
  ...[0, 1, 2, 3, 5, 8].map(
    (survived): Scenario => ({
      title: `functions that die after ${survived} calls are followed by others that go on`,
      async run(world) {
        await life(world, () => {
          let left = survived;
          // Dead: nothing goes out any more, until the next event starts another.
          world.intercept(({ rule }, send) => {
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
    async run(world) {
      const rules = ["sync-policy", "set-owner"].map((rule) => `pvc-retention/${rule}`);
      const instances = [...rules, ...rules].map((rule) => world.instance(rule));
      const hand = { change: "sweep", kind: StatefulSet, name: set } as const;
      /** No event comes, and all instances are asked at the same moment, until it is done. */
      const together = async (what: string, done: () => Promise<boolean>) => {
        for (const begun = world.clock.now(); world.clock.now() < begun + 180_000 && !(await done()); ) {
          await Promise.all(instances.map((instance) => instance(hand)));
          const asked = world.clock.now();
          await world.eventually("a moment passes", () => world.clock.now() >= asked + 100);
        }
        if (!(await done())) throw new Error(`Not within three minutes: ${what}.`);
      };
      await runningSet(world, { replicas: 2 });
      const data = await dataOf(world, [0, 1]);
      world.fate(({ kind }) => (kind === "StatefulSet" || kind === "Pod" ? [] : undefined));
      await annotateSet(world, { [policyKey]: both });
      await together("the policy is in force", async () => isInForce(await setOf(world), both));
      await scale(world, 1);
      await together("the claim of the replica goes", async () => {
        return (await claimOf(world, 1))?.metadata.uid !== data[1]?.claim;
      });
      const { admin, namespace } = world;
      await admin.delete(StatefulSet, namespace, set, { propagationPolicy: "Background" });
      await together("the set goes", async () => !(await admin.get(StatefulSet, namespace, set)));
      await setIsGone(world);
      await dataGoes(world, [0], data);
    },
  },
  {
    title: "events that lie change nothing that a fresh read would not",
    async run(world) {
      const live = await runningSet(world, { policy: both });
      const data = await dataOf(world, [0, 1]);
      const claim = await claimOf(world, 1);
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
      for (const rule of rules) for (const lie of lies) await world.instance(`pvc-retention/${rule}`)(lie);
      await dataStays(world, [0, 1], data);
      await podsRun(world, 2);
    },
  },
];

function isMet(met: readonly (() => number)[]): void {
  for (const [part, count] of met.entries())
    if (count() === 0) throw new Error(`No write of part ${part} met the fault.`);
}

/** Things go wrong on the way; in the end everything is as if they had not. */
export const disturbance: readonly Scenario[] = disturbed.map((scenario) => ({
  ...scenario,
  within: true,
  settings: [byDefault],
}));
