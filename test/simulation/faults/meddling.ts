import type { Clock } from "../../../shared/clock.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Scenario } from "../scenario.ts";
import { createStage, type Stage } from "../stage.ts";
import type { Streams } from "../streams.ts";
import type { Trace } from "../trace.ts";
import type { Cluster } from "../world/cluster.ts";
import { inTree } from "../world/may-run.ts";
import { pick } from "./api.ts";
import type { FaultSchedule } from "./schedule.ts";

/** Who meddles, and with what. */
export interface Meddler {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly streams: Streams;
  readonly schedule: FaultSchedule;
  readonly trace: Trace;
  /** How many times. */
  readonly times: number;
  /** Milliseconds within which it happens. */
  readonly within: number;
  readonly scenario: Scenario;
}

type Meddling = (stage: Stage, meddler: Meddler) => Promise<unknown> | unknown;

const progress = "holdfast.dev/pvc-protection.release";
const rules = ["pvc-protection/protect", "pvc-protection/release", "pvc-protection/warn", "platform/sweep"];

/** Everything that users and operators may do beside a scenario. */
const meddlings: Readonly<Record<string, Meddling>> = {
  "deletes a claim": (stage) => onClaim(stage, ({ metadata }) => stage.deleteClaim(metadata.name)),
  "deletes a pod": (stage) => onPod(stage, ({ metadata }) => stage.deletePod(metadata.name)),
  "deletes a pod by force": (stage) => onPod(stage, ({ metadata }) => stage.deletePod(metadata.name, { force: true })),
  "creates a claim anew": (stage) =>
    onClaim(stage, async ({ metadata: { name } }) => {
      await stage.deleteClaim(name);
      await stage.until(async () => !(await stage.claims()).some(({ metadata }) => metadata.name === name));
      await stage.createClaim(name);
    }),
  "creates a pod": (stage) =>
    onClaim(stage, ({ metadata: { name } }) => stage.createPod(`late-${stage.random.below(1000)}`, [name])),
  "binds a pod": (stage) => onPod(stage, ({ metadata }) => stage.bind(metadata.name)),
  "strips our finalizer": (stage, { scenario }) =>
    onClaim(stage, ({ metadata }) =>
      stage.strip(metadata.name, scenario.setting.finalizer ?? "holdfast.dev/pvc-protection"),
    ),
  "strips Kubernetes' finalizer": (stage) => onClaim(stage, ({ metadata }) => stage.strip(metadata.name, inTree)),
  "strips our annotations": (stage) =>
    onClaim(stage, ({ metadata }) =>
      stage.patchClaim(metadata.name, { metadata: { annotations: { [progress]: null } } }),
    ),
  "edits our annotation": (stage) =>
    onClaim(stage, ({ metadata }) => {
      const lies = [
        `{"v":1,"uid":"${metadata.uid}","step":"held","since":"yesterday","because":"I say so"}`,
        "{",
        "",
        "held",
      ];
      return stage.patchClaim(metadata.name, { metadata: { annotations: { [progress]: pick(stage.random, lies) } } });
    }),
  "labels a claim as waiting": (stage) =>
    onClaim(stage, ({ metadata }) =>
      stage.patchClaim(metadata.name, { metadata: { labels: { "holdfast.dev/waiting": "true" } } }),
    ),
  "touches a claim": (stage) =>
    onClaim(stage, ({ metadata }) =>
      stage.patchClaim(metadata.name, { metadata: { labels: { touched: String(stage.random.below(1000)) } } }),
    ),
  "touches a pod": (stage) =>
    onPod(stage, ({ metadata }) =>
      stage.patchPod(metadata.name, { metadata: { labels: { touched: String(stage.random.below(1000)) } } }),
    ),
  "takes a function away": ({ random }, { cluster }) =>
    cluster.fleet.remove(pick(random, rules), random.below(120_000)),
  "changes the mode": ({ random }, { cluster }) =>
    cluster.fleet.configure("pvc-protection/release", { MODE: pick(random, ["strict", "document"]) }),
  "says something else of Kubernetes' protection": ({ random }, { cluster }) =>
    cluster.fleet.configure("pvc-protection/release", { IN_TREE: pick(random, ["present", "overruled", "absent"]) }),
  "restarts a source": ({ random }, { cluster }) =>
    cluster.eventing.source("holdfast", pick(random, ["storage", "workloads"]))?.restart(random.below(30_000)),
  "lets the watches of a source expire": ({ random }, { cluster }) =>
    cluster.eventing.source("holdfast", pick(random, ["storage", "workloads"]))?.expire(),
  "compacts the store": (_, { cluster }) => cluster.compact(),
  "loses what a broker holds": ({ random }, { cluster }) =>
    cluster.eventing.broker("holdfast", pick(random, ["storage", "workloads"]))?.lose("the dispatcher was restarted"),
};

/** Lets users and operators meddle for a while, at times that are drawn. */
export async function meddle(meddler: Meddler): Promise<void> {
  const { times, within, clock, streams, schedule, trace, cluster } = meddler;
  await Promise.all(
    Array.from({ length: times }, async (_, index) => {
      const random = streams(`meddling ${index}`);
      await clock.sleep(random.below(within));
      const what = schedule.draw(`meddling ${index}`, () => pick(random, Object.keys(meddlings)));
      const act = what === undefined ? undefined : meddlings[what];
      if (!act) return;
      trace.tell("meddler", String(what));
      await act(createStage(cluster.user, clock, random, trace, "meddler"), meddler);
    }),
  );
}

async function onClaim(stage: Stage, act: (claim: KubernetesObject) => Promise<unknown>): Promise<void> {
  const claims = await stage.claims();
  if (claims.length > 0) await act(pick(stage.random, claims));
}

async function onPod(stage: Stage, act: (pod: KubernetesObject) => Promise<unknown>): Promise<void> {
  const pods = await stage.pods();
  if (pods.length > 0) await act(pick(stage.random, pods));
}
