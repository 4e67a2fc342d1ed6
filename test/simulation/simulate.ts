import { virtualClock } from "../../local/time/virtual-clock.ts";
import { functions, type Handler, type Start } from "../worlds/functions.ts";
import { apiFaults } from "./faults/api.ts";
import { eventFaults } from "./faults/events.ts";
import { outsideFaults } from "./faults/outside.ts";
import { drawRates, faultFree, type Rates } from "./faults/rates.ts";
import { faultSchedule } from "./faults/schedule.ts";
import { isOurs } from "./invariants/invariant.ts";
import { invariants as everywhere } from "./invariants/invariants.ts";
import type { Point } from "./point.ts";
import type { Scenario } from "./scenario.ts";
import { type Streams, streamsOf } from "./streams.ts";
import { systemsIn } from "./systems.ts";
import { startTrace } from "./trace.ts";
import { createUser } from "./user.ts";
import { runWorkload } from "./workload.ts";
import type { Change } from "./world/change.ts";
import { type Cluster, startCluster } from "./world/cluster.ts";
import { createCounts } from "./world/counts.ts";
import { describeChange } from "./world/describe-change.ts";
import { addressOf } from "./world/fleet.ts";
import { createHistory } from "./world/history.ts";
import { type MayRun, trackMayRun } from "./world/may-run.ts";
import { createNetwork } from "./world/network.ts";
import type { Outside } from "./world/outside.ts";

/** One run. The same specification gives the same run, byte by byte. */
export interface RunSpec {
  readonly scenario: Scenario;
  readonly number: number;
  /** Whether faults and the workload are drawn; otherwise only the interleaving is. */
  readonly faults: boolean;
  readonly loseAllEvents?: boolean;
  /** Names of faults that are left out. */
  readonly without?: ReadonlySet<string>;
  /** Something that happens at one request of a function. */
  readonly point?: Point;
  /** A fault of an external system's own, by its name: every call that can meet it meets it. */
  readonly everyCall?: string;
  /** Functions in place of the repository's own. */
  readonly starters?: Readonly<Record<string, (start: Start) => Handler>>;
}

export interface Failure {
  /** The invariant or end that does not hold. */
  readonly name: string;
  readonly because: string;
}

export interface RunResult {
  readonly failure: Failure | undefined;
  readonly trace: readonly string[];
  /** The faults that struck. */
  readonly struck: readonly string[];
  /** Every request of a function, in order. */
  readonly requests: readonly { readonly rule: string; readonly write: boolean }[];
  /** Sweeps between the end of all faults and the end of all that had to be done. */
  readonly sweeps: number;
}

const sweepEvery = 60_000;
/** Within so many sweeps after the last fault everything must have come to its end. */
const usualSweeps = 4;
/** Writes of ours on one object that need no change by others to explain them, where a system needs no more. */
const usualWrites = 6;
/** A resource that is refused once is refused for so long (milliseconds): about as long as two verdicts take. */
const refusedFor = 1_500;
/** Where nothing goes wrong no sweep is needed, and nothing takes longer than this (milliseconds). */
const withoutSweeps = 30_000;
/** Faults last at least this long (milliseconds), and until the scenario has been acted out. */
const faultsLast = 50_000;

/** Users wait two minutes for each of half a dozen things where much goes wrong, and then give up (milliseconds). */
const longestScenario = 900_000;

/** Runs one scenario from beginning to end. */
export async function simulate(spec: RunSpec): Promise<RunResult> {
  const { scenario, without = new Set() } = spec;
  const systems = systemsIn(scenario);
  const invariants = [...everywhere, ...systems.flatMap((system) => system.invariants)];
  const liveness = systems.flatMap((system) => system.liveness);
  const kinds = systems.flatMap((system) => system.kinds ?? []);
  const mostSweeps = Math.max(usualSweeps, ...systems.map((system) => system.sweeps ?? 0));
  const clock = virtualClock();
  const streams = streamsOf(spec.number);
  const rates = ratesOf(spec, streams);
  const schedule = faultSchedule(streams, without);
  const trace = startTrace(clock);
  const changes: Change[] = [];
  let refusing: { path: string; until: number } | undefined;
  const requests: { rule: string; write: boolean }[] = [];
  const counts = createCounts();
  let failure: Failure | undefined;
  let begun = false;

  const history = createHistory(clock, kinds, (change) => {
    if (!begun || failure) return;
    changes.push(change);
    mayRun.observe(change);
    if (change.object.kind !== "Event" || isOurs(change)) trace.add(change.by.name, describeChange(change));
    for (const { name, check } of invariants) {
      const because = check(change, truth);
      if (because) failure ??= { name, because };
    }
  });
  const mayRun: MayRun = trackMayRun(history, scenario.setting.finalizer === "kubernetes.io/pvc-protection");
  const isWhole = spec.point === undefined && spec.everyCall === undefined;
  const undisturbed = !spec.faults && !spec.loseAllEvents && isWhole;
  const outsides = new Map<string, Outside>();
  const writesAtFirst = Math.max(usualWrites, ...systems.map((system) => system.writesAtFirst ?? 0));
  const truth = { scenario, calm: undisturbed, history, mayRun, changes, outsides, writesAtFirst };
  for (const { name, outside } of systems)
    if (outside)
      outsides.set(
        name,
        outside({
          clock,
          streams,
          trace,
          schedule,
          faults: spec.faults,
          everyCall: spec.everyCall,
          drop: rates.source.drop ?? 0,
          occur(occurrence) {
            if (!begun || failure) return;
            trace.add(name, occurrence.what);
            for (const { name, checkOutside } of invariants) {
              const because = checkOutside?.(occurrence, truth);
              if (because) failure ??= { name, because };
            }
          },
          post: (url, event) => void cluster.send(url, event).catch(() => {}),
        }),
      );

  /** When the point was reached at which the fault strikes. */
  let struckAt = Number.NEGATIVE_INFINITY;
  const network = createNetwork({
    clock,
    streams,
    trace,
    history,
    pageSize: rates.pageSize,
    disturb: apiFaults(schedule, rates.api, clock),
    disturbOutside: outsideFaults(schedule, rates.api),
    gate(outgoing) {
      requests.push({ rule: outgoing.process.rule, write: outgoing.write });
      counts.count(outgoing);
      const { point } = spec;
      const { index, process, event } = outgoing;
      const here = point?.index === index ? point.what : undefined;
      const [path = ""] = outgoing.request.path.split("?");
      if (here) struckAt = clock.now();
      if (here === "refused") refusing = { path, until: clock.now() + refusedFor };
      if (refusing?.path === path && clock.now() < refusing.until) return "refused";
      if ([...outsides.values()].some((one) => one.refuses?.(outgoing.request))) return "refused";
      if (here && here !== "second instance") return here;
      const company =
        !process.company &&
        schedule.draw(`company at request ${index}`, (random) => random.next() < rates.company || undefined);
      if (!here && !company) return "pass";
      trace.add(process.name, "gets company");
      if (event) cluster.fleet.deliverTo(process.rule, event).catch(() => {});
      return "pass";
    },
  });
  const cluster = await startCluster({
    scenario,
    clock,
    streams,
    trace,
    history,
    network,
    outsides,
    faults: eventFaults(schedule, rates, trace),
    rates,
    starters: { ...functions, ...spec.starters },
  });
  begun = true;
  const since = clock.now();
  const sweeping = new AbortController();
  // What an external system was not asked, or has not answered, is looked for when it is due.
  const looksAgain = spec.point !== undefined && outsides.size > 0;
  const swept = spec.faults || spec.loseAllEvents === true || scenario.waits === true || looksAgain;
  if (swept) sweepAgainAndAgain(cluster).catch(() => {});

  async function sweepAgainAndAgain({ fleet }: Cluster): Promise<void> {
    const sweep = addressOf({ service: "platform-sweep", namespace: "holdfast" });
    for (;;) {
      await clock.sleep(sweepEvery, sweeping.signal);
      fleet.deliver(sweep, { headers: {}, body: "" }).catch(() => {});
    }
  }

  const user = createUser(cluster.user, clock, streams("users"), trace, outsides);
  let acted = false;
  scenario.act(user).then(
    () => {
      acted = true;
    },
    (error: Error) => {
      failure ??= { name: "the scenario itself", because: error.stack ?? error.message };
    },
  );
  void runWorkload({
    cluster,
    clock,
    streams,
    schedule,
    trace,
    times: rates.operations,
    within: faultsLast,
    scenario,
    outsides,
    workload: Object.assign({}, ...systems.map(({ workload }) => workload)),
  });
  await clock.runUntil(
    () => failure !== undefined || (acted && (!spec.faults || clock.now() - since >= faultsLast)),
    longestScenario,
  );
  if (!failure && !acted) failure = { name: "the scenario itself", because: "It did not come to its end." };
  schedule.end();
  if (spec.faults) cluster.fleet.restore();
  for (const outside of outsides.values()) outside.restore();
  trace.add("simulation", "lets nothing go wrong any more");

  const disturbed = () => spec.point !== undefined || schedule.struck.length > 0;
  const unfinished = (): Failure | undefined => {
    for (const { name, check } of liveness) {
      const because = check({ ...truth, disturbed: disturbed() });
      if (because) return { name, because };
    }
    return undefined;
  };
  const calm = clock.now();
  const step = 5_000;
  let left = unfinished();
  while (!failure && left && clock.now() - calm < (swept ? (mostSweeps + 0.5) * sweepEvery : withoutSweeps)) {
    await clock.advance(step);
    left = unfinished();
  }
  failure ??= left && {
    ...left,
    because: `${left.because} ${swept ? `${mostSweeps} sweeps` : "30 seconds without a fault"} have passed.`,
  };
  const sweeps = Math.ceil((clock.now() - calm) / sweepEvery);
  if (!failure) failure = await restsThen(unfinished);

  async function restsThen(check: () => Failure | undefined): Promise<Failure | undefined> {
    // What was delayed by a fault may still arrive, and a sweep that failed takes back in the next one what it said of
    // that; after that nothing of ours has a reason to write.
    let before = 0;
    let since: number;
    do {
      since = clock.now();
      await clock.advance(2.5 * sweepEvery);
      before = changes.filter(isOurs).length;
      await clock.advance(1.5 * sweepEvery);
      // A point may lie in this very rest: then it begins anew.
    } while (struckAt >= since);
    const written = changes.filter(isOurs).slice(before);
    const [first] = written;
    if (first)
      return { name: "rests", because: `Nothing changes any more, and ${describeChange(first)}, by ${first.by.name}.` };
    const tooMuch = counts.tooMuch();
    return failure ?? check() ?? (tooMuch ? { name: "asks-little", because: tooMuch } : undefined);
  }

  if (failure) trace.add("simulation", `${failure.name}: ${failure.because}`);
  sweeping.abort(new Error("The run is over."));
  cluster.stop();
  await clock.settle();
  return { failure, trace: trace.lines, struck: schedule.struck, requests, sweeps };
}

function ratesOf({ faults, loseAllEvents = false }: RunSpec, streams: Streams): Rates {
  if (faults) return drawRates(streams("rates"), loseAllEvents);
  return loseAllEvents ? { ...faultFree, source: { drop: 1 } } : faultFree;
}
