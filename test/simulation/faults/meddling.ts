import type { Clock } from "../../../shared/clock.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Scenario } from "../scenario.ts";
import { createStage, type Stage } from "../stage.ts";
import type { Streams } from "../streams.ts";
import type { Trace } from "../trace.ts";
import type { Cluster } from "../world/cluster.ts";
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
  /** What there is to do beside what can be done everywhere. */
  readonly meddlings: Readonly<Record<string, Meddling>>;
}

/** One thing that somebody does beside a scenario. What the API server refuses is passed over. */
export type Meddling = (stage: Stage, meddler: Meddler) => Promise<unknown> | unknown;

/** What users and operators may do whatever systems there are. */
const everywhere: Readonly<Record<string, Meddling>> = {
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
    cluster.fleet.remove(pick(random, cluster.fleet.rules), random.below(120_000)),
  "restarts a source": ({ random }, { cluster }) => pick(random, cluster.sources).restart(random.below(30_000)),
  "lets the watches of a source expire": ({ random }, { cluster }) => pick(random, cluster.sources).expire(),
  "compacts the store": (_, { cluster }) => cluster.compact(),
  "loses what a broker holds": ({ random }, { cluster }) =>
    pick(random, cluster.brokers).lose("the dispatcher was restarted"),
};

/** Lets users and operators meddle for a while, at times that are drawn. */
export async function meddle(meddler: Meddler): Promise<void> {
  const { times, within, clock, streams, schedule, trace, cluster } = meddler;
  const meddlings = { ...everywhere, ...meddler.meddlings };
  await Promise.all(
    Array.from({ length: times }, async (_, index) => {
      const random = streams(`meddling ${index}`);
      await clock.sleep(random.below(within));
      const what = schedule.draw(`meddling ${index}`, () => pick(random, Object.keys(meddlings)));
      const act = what === undefined ? undefined : meddlings[what];
      if (!act) return;
      trace.add("meddler", String(what));
      await act(createStage(cluster.user, clock, random, trace, "meddler"), meddler);
    }),
  );
}

/** Does something to one of the claims there are, drawn. */
export async function onClaim(stage: Stage, act: (claim: KubernetesObject) => Promise<unknown>): Promise<void> {
  const claims = await stage.claims();
  if (claims.length > 0) await act(pick(stage.random, claims));
}

async function onPod(stage: Stage, act: (pod: KubernetesObject) => Promise<unknown>): Promise<void> {
  const pods = await stage.pods();
  if (pods.length > 0) await act(pick(stage.random, pods));
}
