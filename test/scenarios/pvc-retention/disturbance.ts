import { PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { Call, Cluster } from "../../harness/cluster.ts";
import type { Scenario } from "../scenario.ts";
import {
  changePolicy,
  claimName,
  claimOf,
  type Data,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  podIsGone,
  podsRun,
  runningSet,
  scale,
  set,
} from "./helpers.ts";
import { both, onDeletion } from "./policies.ts";
import { byDefault } from "./settings.ts";

const isWrite = ({ request: { method, path } }: Call) => method !== "GET" && !/\/events(\/|$)/.test(path);

/** The first two writes of every function are done, and their answers lost. Returns how many were. */
function loseAnswers(cluster: Cluster): () => number {
  const met = new Map<string, number>();
  cluster.intercept(async (call, send) => {
    const before = met.get(call.rule) ?? 0;
    if (before === 2 || !call.rule.startsWith("pvc-retention/") || !isWrite(call)) return send();
    met.set(call.rule, before + 1);
    await send();
    throw new Error("connection reset");
  });
  return () => [...met.values()].reduce((sum, count) => sum + count, 0);
}

/** From a set without a policy to its deletion: claims that have to stay stay, and others are deleted. */
async function life(cluster: Cluster, disturb: () => void): Promise<void> {
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
  {
    title:
      "a set's claims are deleted by its policy although the answers to the first writes of every function are lost",
    async run(cluster) {
      const met: (() => number)[] = [];
      await life(cluster, () => met.push(loseAnswers(cluster)));
      isMet(met);
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

/** Lost events, and events that are wrong. The simulation does the rest at each request. */
export const disturbance: readonly Scenario[] = disturbed.map((scenario) => ({
  ...scenario,
  within: true,
  settings: [byDefault],
}));
