import { type VirtualClock, virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { apiFaults, pick } from "../../harness/faults/api.ts";
import { drawRates, faultFree } from "../../harness/faults/rates.ts";
import { type FaultSchedule, faultSchedule } from "../../harness/faults/schedule.ts";
import { functions } from "../../harness/functions.ts";
import { Namespace } from "../../harness/kinds.ts";
import { createNamespace } from "../../harness/open-namespace.ts";
import type { Change } from "../../harness/simulated/change.ts";
import { openSimulatedCluster, type SimulatedCluster } from "../../harness/simulated/cluster.ts";
import { createHistory } from "../../harness/simulated/history.ts";
import { shop } from "../../harness/simulated/namespace.ts";
import { type Streams, streamsOf } from "../../harness/simulated/streams.ts";
import type { Trace } from "../../harness/simulated/trace.ts";
import { keepsVolumes } from "../judge/volumes.ts";
import type { Patience, World } from "../play/play.ts";
import { sortByKind } from "../play/side.ts";
import type { Line } from "../report/history.ts";
import { type Functions, settingOf } from "./setting.ts";
import { type Stalls, stalls } from "./stalls.ts";

/** How a cluster in this process is set up. */
export interface InProcessOptions {
  readonly seed: number;
  /** Whether the admission policy of PVC retention is installed. */
  readonly admissionPolicy: boolean;
  /** Whether faults strike functions and events; otherwise only the interleaving is drawn. */
  readonly faults: boolean;
  /** Names of faults that are left out. */
  readonly without?: ReadonlySet<string>;
  readonly functions: Functions;
  /** Whether the namespace of ours asks undelete to keep its volumes. */
  readonly keepsVolumes?: boolean;
}

export interface InProcess extends World {
  readonly clock: VirtualClock;
  readonly cluster: SimulatedCluster;
  /** Stalls that a scenario wants, beside those that are drawn. */
  readonly stalls: Stalls;
  /** The faults that have struck, by name. */
  readonly struck: readonly string[];
  /** Writes of functions into the namespace that has no policy. */
  readonly strays: readonly Change[];
  stop(): Promise<void>;
}

const sweepEvery = 60_000;
/** Functions are taken away within the time in which most sequences are over (milliseconds). */
const troubleWithin = 120_000;
const longestAbsence = 90_000;
/**
 * A volume that a claim has had for so long has been seen by undelete (milliseconds): at once, or by the sweep after an
 * absence.
 */
const seen = 5_000;
const seenUnderFaults = 240_000;
/** Rules that a sequence is about. */
const ofSystems = /^(pvc-retention|undelete)\//;
const plain = "plain";
const inProcess: Patience = {
  settling: 60_000,
  inForce: 3_600_000,
  underWay: 6_000,
  caches: 1_000,
  rest: 90_000,
  poll: 50,
};

/** A cluster on virtual time with Holdfast on it, and two namespaces. */
export async function startInProcess(options: InProcessOptions): Promise<InProcess> {
  const { seed, admissionPolicy, without = new Set() } = options;
  const clock = virtualClock();
  const streams = streamsOf(seed);
  const rates = options.faults ? { ...drawRates(streams("rates"), false), mixed: false } : faultFree;
  const schedule = faultSchedule(streams, without);
  const history: Line[] = [];
  const note = (who: string, what: string) => void history.push({ at: clock.now(), who, what });
  // Of what is written down for simulated runs only what functions say, and where they die.
  const trace: Trace = {
    lines: [],
    add: (who, what) => {
      if ((what.startsWith('"') && !who.startsWith("sweep")) || what.includes(": killed ")) note(who, what);
    },
  };
  const changes = { plain: [] as Change[], ours: [] as Change[] };
  const objects = { plain: new Map<string, Change["object"]>(), ours: new Map<string, Change["object"]>() };
  const strays: Change[] = [];
  const volumes: Change[] = [];

  const clusterHistory = createHistory(clock, ["StatefulSet", "PersistentVolume"], (change) => {
    const { namespace, uid } = change.object.metadata;
    if (change.object.kind === "PersistentVolume") volumes.push(change);
    const side = namespace === plain ? "plain" : namespace === shop ? "ours" : undefined;
    if (!side || change.object.kind === "Event") return;
    changes[side].push(change);
    if (change.after) objects[side].set(uid, change.after);
    else objects[side].delete(uid);
    if (side === "plain" && change.by.process) strays.push(change);
  });
  const late = stalls(schedule, clock, options.faults ? pick(streams("stalls"), [0, 0.05, 0.2]) : 0);
  const disturb = apiFaults(schedule, rates.api, clock);
  const setting = settingOf(options.functions, options.functions === "repository" && admissionPolicy);
  const cluster = await openSimulatedCluster({
    environment: {
      setting,
      controllers: ["statefulset-controller", "garbage-collector-controller"],
      managedFields: true,
    },
    clock,
    streams,
    trace,
    history: clusterHistory,
    schedule,
    rates,
    gate: () => "pass",
    disturb: (call, send) => late.hold(call, () => disturb(call, send)),
    starters: startersOf(options),
    mutated: options.functions !== "repository",
  });
  const { user } = cluster;
  await createNamespace(user, plain);
  if (options.keepsVolumes) await user.patch(Namespace, undefined, shop, "merge", keepsVolumes);

  const ended = new AbortController();
  cluster.sweepEvery(sweepEvery, ended.signal).catch(() => {});
  if (options.faults) takeAway(cluster, clock, schedule, streams);

  const sideOf = (side: "plain" | "ours", namespace: string) => ({
    namespace,
    changes: changes[side],
    live: async () => sortByKind([...objects[side].values()]),
  });
  return {
    clock,
    admin: user,
    cluster,
    plain: sideOf("plain", plain),
    ours: sideOf("ours", shop),
    inTheVeryWrite: admissionPolicy && options.functions === "repository",
    byHand: options.functions !== "repository",
    volumes,
    keptAfter: options.keepsVolumes ? (options.faults ? seenUnderFaults : seen) : undefined,
    patience: inProcess,
    history,
    note: (line) => note("", line),
    stalls: late,
    struck: schedule.struck,
    strays,
    sweep: async () => {},
    async calm() {
      schedule.end();
      cluster.fleet.restore();
      await clock.sleep(3 * sweepEvery + sweepEvery / 2);
    },
    async stop() {
      ended.abort(new Error("The run is over."));
      cluster.stop();
      await clock.settle();
    },
  };
}

function startersOf({ functions: present }: InProcessOptions) {
  if (present === "repository") return functions;
  const idle = () => async () => ({ status: 204, headers: {}, body: "" });
  const others = Object.entries(functions).map(([name, start]) => [name, ofSystems.test(name) ? idle : start] as const);
  return { ...Object.fromEntries(others), ...(present === "none" ? {} : { [present.rule.name]: present.start }) };
}

/** Takes functions away now and then: their processes die in the middle of what they are doing. */
function takeAway({ fleet }: SimulatedCluster, clock: VirtualClock, schedule: FaultSchedule, streams: Streams): void {
  const times = streams("absences").below(5);
  const rules = fleet.rules.filter((rule) => ofSystems.test(rule));
  for (let index = 0; index < times; index++) {
    const random = streams(`absence ${index}`);
    clock.after(random.below(troubleWithin), () => {
      const absence = schedule.draw(`absence ${index}`, (random) => random.below(longestAbsence));
      if (absence !== undefined) fleet.remove(pick(random, rules), absence);
    });
  }
}
