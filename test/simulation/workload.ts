import type { Clock } from "../../shared/clock.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { pick } from "../harness/faults/api.ts";
import type { FaultSchedule } from "../harness/faults/schedule.ts";
import type { SimulatedCluster } from "../harness/simulated/cluster.ts";
import type { SimulatedSystem } from "../harness/simulated/simulated-system.ts";
import type { Streams } from "../harness/simulated/streams.ts";
import type { Trace } from "../harness/simulated/trace.ts";
import type { Scenario } from "./scenario.ts";
import { createUser, type User } from "./user.ts";

/** What the workload of a run needs. */
export interface WorkloadContext {
  readonly cluster: SimulatedCluster;
  readonly clock: Clock;
  readonly streams: Streams;
  readonly schedule: FaultSchedule;
  readonly trace: Trace;
  /** How many times. */
  readonly times: number;
  /** Milliseconds within which it happens. */
  readonly within: number;
  readonly scenario: Scenario;
  readonly outsides: ReadonlyMap<string, SimulatedSystem>;
  /** What there is to do beside what can be done everywhere. */
  readonly workload: Readonly<Record<string, Operation>>;
}

/** One thing that a user does beside a scenario. What the API server refuses is passed over. */
export type Operation = (user: User, context: WorkloadContext) => Promise<unknown> | unknown;

/** What users and operators may do with any systems. */
const everywhere: Readonly<Record<string, Operation>> = {
  "deletes a claim": (user) => onClaim(user, ({ metadata }) => user.deleteClaim(metadata.name)),
  "deletes a pod": (user) => onPod(user, ({ metadata }) => user.deletePod(metadata.name)),
  "deletes a pod by force": (user) => onPod(user, ({ metadata }) => user.deletePod(metadata.name, { force: true })),
  "creates a claim again": (user) =>
    onClaim(user, async ({ metadata: { name } }) => {
      await user.deleteClaim(name);
      await user.until(async () => !(await user.claims()).some(({ metadata }) => metadata.name === name));
      await user.createClaim(name);
    }),
  "creates a pod": (user) =>
    onClaim(user, ({ metadata: { name } }) => user.createPod(`late-${user.random.below(1000)}`, [name])),
  "binds a pod": (user) => onPod(user, ({ metadata }) => user.bind(metadata.name)),
  "labels a claim as waiting": (user) =>
    onClaim(user, ({ metadata }) =>
      user.patchClaim(metadata.name, { metadata: { labels: { "holdfast.dev/waiting": "true" } } }),
    ),
  "touches a claim": (user) =>
    onClaim(user, ({ metadata }) =>
      user.patchClaim(metadata.name, { metadata: { labels: { touched: String(user.random.below(1000)) } } }),
    ),
  "touches a pod": (user) =>
    onPod(user, ({ metadata }) =>
      user.patchPod(metadata.name, { metadata: { labels: { touched: String(user.random.below(1000)) } } }),
    ),
  "takes a function away": ({ random }, { cluster }) =>
    cluster.fleet.remove(pick(random, cluster.fleet.rules), random.below(120_000)),
  "restarts a source": ({ random }, { cluster }) => pick(random, cluster.sources).restart(random.below(30_000)),
  "lets the watches of a source expire": ({ random }, { cluster }) => pick(random, cluster.sources).expire(),
  "compacts the store": (_, { cluster }) => cluster.compact(),
  "loses what a broker holds": ({ random }, { cluster }) =>
    pick(random, cluster.brokers).lose("the dispatcher was restarted"),
};

/** Runs the operations of users and operators for a while, at times that are drawn. */
export async function runWorkload(context: WorkloadContext): Promise<void> {
  const { times, within, clock, streams, schedule, trace, cluster, outsides } = context;
  const workload = { ...everywhere, ...context.workload };
  await Promise.all(
    Array.from({ length: times }, async (_, index) => {
      const random = streams(`operation ${index}`);
      await clock.sleep(random.below(within));
      const what = schedule.draw(`operation ${index}`, () => pick(random, Object.keys(workload)));
      const act = what === undefined ? undefined : workload[what];
      if (!act) return;
      trace.add("operator", String(what));
      await act(createUser(cluster.user, clock, random, trace, outsides, "operator"), context);
    }),
  );
}

/** Does something to one of the claims there are, drawn. */
export async function onClaim(user: User, act: (claim: KubernetesObject) => Promise<unknown>): Promise<void> {
  const claims = await user.claims();
  if (claims.length > 0) await act(pick(user.random, claims));
}

async function onPod(user: User, act: (pod: KubernetesObject) => Promise<unknown>): Promise<void> {
  const pods = await user.pods();
  if (pods.length > 0) await act(pick(user.random, pods));
}
