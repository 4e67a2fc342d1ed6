import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Setting } from "../harness/cluster.ts";
import { apiFaults } from "../harness/faults/api.ts";
import { type ChosenOutage, drawOutage, type Outage, type OutageTarget } from "../harness/faults/outage.ts";
import { drawRates, faultFree, type Rates } from "../harness/faults/rates.ts";
import { faultSchedule } from "../harness/faults/schedule.ts";
import { systemFaults } from "../harness/faults/simulated-system.ts";
import { functions, type Handler, type Start } from "../harness/functions.ts";
import type { Change } from "../harness/simulated/change.ts";
import { openSimulatedCluster } from "../harness/simulated/cluster.ts";
import { createHistory } from "../harness/simulated/history.ts";
import type { SimulatedSystem } from "../harness/simulated/simulated-system.ts";
import { type Streams, streamsOf } from "../harness/simulated/streams.ts";
import { startTrace } from "../harness/simulated/trace.ts";
import { describeChange } from "./describe-change.ts";
import { isOurs } from "./invariants/invariant.ts";
import { invariants as everywhere } from "./invariants/invariants.ts";
import type { Point } from "./point.ts";
import { type MayRun, trackMayRun } from "./pvc-protection/may-run.ts";
import { createCounts } from "./request-counts.ts";
import type { Scenario } from "./scenario.ts";
import { systemsIn } from "./systems.ts";
import { createUser } from "./user.ts";
import { runWorkload } from "./workload.ts";

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
  /** One thing that functions need is away for a while, and nothing else goes wrong. */
  readonly outage?: boolean | ChosenOutage;
  /** A fault of an external system's own, by its name: every call that can meet it meets it. */
  readonly everyCall?: string;
  /** Functions in place of the repository's own. */
  readonly starters?: Readonly<Record<string, (start: Start) => Handler>>;
}

export interface Failure {
  /** The invariant or end that does not hold. */
  readonly name: string;
  readonly message: string;
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
  /** What has come of it, as the systems in it describe that; empty when it failed before. */
  readonly end: readonly string[];
  /** How long the scenario took (milliseconds). */
  readonly acted: number;
  /** The outage of the run. */
  readonly away: AwayInRun | undefined;
}

/** Times are in milliseconds of the run. */
export interface AwayInRun {
  readonly from: number;
  readonly to: number;
  /** When the last write was carried out late. */
  readonly late: number;
  /** Whether anything was asked for, sent or due while it was away. */
  readonly isMet: boolean;
}

const sweepEvery = 60_000;
/** Within so many sweeps after the last fault everything must have come to its end. */
const usualSweeps = 4;
/** After an outage the first sweep takes up what waits; what that leads to may wait for a second one. */
const sweepsAfterOutage = 2;
/** Writes of ours on one object that need no change by others to explain them, where a system needs no more. */
const usualWrites = 6;
/** A resource that is refused once is refused for so long (milliseconds): about as long as two verdicts take. */
const refusedFor = 1_500;
/** Where nothing goes wrong no sweep is needed, and nothing takes longer than this (milliseconds). */
const withoutSweeps = 30_000;
/** Faults last at least this long (milliseconds), and until the scenario has been acted out. */
const faultsLast = 50_000;

/** What has been away for so long (milliseconds) is to be named on an object: the broker's retries are over then. */
const longEnough = 45_000;

/** Users wait two minutes for each of half a dozen things where much goes wrong, and then give up (milliseconds). */
const longestScenario = 900_000;

/** Runs one scenario from beginning to end. */
export async function simulate(spec: RunSpec): Promise<RunResult> {
  const { scenario, without = new Set() } = spec;
  const systems = systemsIn(scenario);
  const invariants = [...everywhere, ...systems.flatMap((system) => system.invariants)];
  const liveness = systems.flatMap((system) => system.liveness);
  const kinds = systems.flatMap((system) => system.kinds ?? []);
  const usual = Math.max(usualSweeps, ...systems.map((system) => system.sweeps ?? 0));
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
      const message = check(change, truth);
      if (message) failure ??= { name, message };
    }
  });
  const mayRun: MayRun = trackMayRun(history, scenario.setting.finalizer === "kubernetes.io/pvc-protection");
  const isWhole = spec.point === undefined && spec.everyCall === undefined;
  const undisturbed = !spec.faults && !spec.loseAllEvents && !spec.outage && isWhole;
  const outsides = new Map<string, SimulatedSystem>();
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
              const message = checkOutside?.(occurrence, truth);
              if (message) failure ??= { name, message };
            }
          },
          post: (url, event) => void cluster.send(url, event).catch(() => {}),
        }),
      );

  const targets: readonly OutageTarget[] = [
    ...[...outsides.values()].map(({ system: { name }, about }) => ({
      name,
      ...(about ? { about } : {}),
      takes: (path: string) => path.startsWith(`/${name}/`) || path.startsWith(`/${name}@`),
      ...(scenario.parts ? { parts: scenario.parts.texts } : {}),
    })),
    ...systems.flatMap(({ otherClusters = [] }) => otherClusters),
  ];
  const outage = spec.outage
    ? drawOutage(streams, clock, targets, spec.outage === true ? undefined : spec.outage)
    : undefined;
  const isExternal = targets.some(({ name }) => name === outage?.what);

  /** Whether an outage of the API server struck a write: an Event and what notes it on its object are two of them. */
  let isWriteLost = false;
  /** Whether an object named what is away when it was last asked. */
  let wasNamed = false;
  let missed = 0;
  /** Whether events or sweeps are away now, which is counted. */
  function misses(): boolean {
    if (!outage?.isOn()) return false;
    missed++;
    return true;
  }

  /** When the point was reached at which the fault strikes. */
  let struckAt = Number.NEGATIVE_INFINITY;
  const cluster = await openSimulatedCluster({
    // What the resync alone would find is lost in an outage of a system or of one object: it comes once in six hours.
    environment:
      isExternal || outage?.part !== undefined ? { ...scenario, setting: withRealTurns(scenario.setting) } : scenario,
    clock,
    streams,
    trace,
    history,
    schedule,
    rates,
    disturb: apiFaults(schedule, rates.api, clock),
    disturbOutside: systemFaults(schedule, rates.api),
    gate(outgoing) {
      requests.push({ rule: outgoing.process.rule, write: outgoing.write });
      counts.count(outgoing);
      const { point } = spec;
      const here = point?.index === outgoing.index ? point.what : undefined;
      const [path = "", query = ""] = outgoing.request.path.split("?");
      if (here) struckAt = clock.now();
      if (here === "refused") refusing = { path, until: clock.now() + refusedFor };
      if (refusing?.path === path && clock.now() < refusing.until) return "refused";
      if ([...outsides.values()].some((one) => one.refuses?.(outgoing.request))) return "refused";
      const met = outage?.verdictOn(path, `${query} ${outgoing.request.body ?? ""}`, outgoing.write) ?? "pass";
      if (met !== "pass" && outgoing.write && outage?.what === "api") isWriteLost = true;
      if (met !== "pass" && outage) wasNamed = isExternal && isNamed(outage);
      return met === "pass" ? (here ?? "pass") : met;
    },
    losesEvents: () => outage?.what === "events" && misses(),
    outsides,
    starters: { ...functions, ...spec.starters },
    mutated: spec.starters !== undefined,
  });
  begun = true;
  const since = clock.now();
  if (outage) {
    outage.start();
    const [from, to] = [outage.begins, outage.ends].map((at) => Math.round((at - since) / 1000));
    const what = outage.part ? `${outage.part} of ${outage.what}` : outage.what;
    trace.add("simulation", `${what} is away from second ${from} to second ${to}`);
  }
  const sweeping = new AbortController();
  // What an external system was not asked, or has not answered, is looked for when it is due.
  const looksAgain = spec.point !== undefined && outsides.size > 0;
  const isDisturbed = spec.faults || spec.loseAllEvents === true || outage !== undefined;
  const swept = isDisturbed || scenario.waits === true || looksAgain;
  const isSweepAway = () => outage?.what === "sweep" && misses();
  if (swept) cluster.sweepEvery(sweepEvery, sweeping.signal, isSweepAway).catch(() => {});

  const disturbed = () =>
    spec.point !== undefined || schedule.struck.length > 0 || (outage?.lastLate ?? 0) > 0 || isWriteLost;
  const unfinished = (): Failure | undefined => {
    for (const { name, check } of liveness) {
      const message = check({ ...truth, disturbed: disturbed() });
      if (message) return { name, message };
    }
    return undefined;
  };
  if (outage) {
    const { begins, ends } = outage;
    for (const { system, leaves } of outsides.values())
      if (system.name === outage.what) clock.after(begins - clock.now(), () => leaves?.(outage.part));
    clock.after(ends - 1 - clock.now(), () => {
      failure ??= wrongInOutage(outage);
    });
  }

  function isNamed({ what }: Pick<Outage, "what">): boolean {
    return kinds.some((kind) => history.live(kind).some((object) => namesOutage(object, what)));
  }

  /** What objects do not say, and what does not go on, right before an outage ends. */
  function wrongInOutage({ what, part, refusedSince, refusedLast = 0 }: Outage): Failure | undefined {
    const held = part !== undefined ? scenario.parts?.goesOn?.(history, clock.now(), part) : undefined;
    if (held) return { name: "stops-that-object-only", message: held };
    const isLong = clock.now() - (refusedSince ?? clock.now()) >= longEnough;
    const isAsked = clock.now() - refusedLast <= 2 * sweepEvery;
    // An object that has no need of it any more, since the last request, may have removed its note.
    if (!isLong || !isAsked || !isExternal || !unfinished() || wasNamed || isNamed({ what })) return undefined;
    return { name: "names-what-is-away", message: `${what} is away, and no object says so.` };
  }

  const user = createUser(cluster.user, clock, streams("users"), trace, outsides);
  let acted = false;
  let actedIn = 0;
  scenario.act(user).then(
    () => {
      acted = true;
      actedIn = clock.now() - since;
    },
    (error: Error) => {
      failure ??= { name: "the scenario itself", message: error.stack ?? error.message };
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
  if (!failure && !acted) failure = { name: "the scenario itself", message: "It did not come to its end." };
  schedule.end();
  if (spec.faults) cluster.fleet.restore();
  for (const outside of outsides.values()) outside.restore();
  trace.add("simulation", "lets nothing go wrong any more");

  if (outage && !failure) await clock.advance(Math.max(0, Math.max(outage.ends, outage.lastLate) - clock.now()) + 1);

  const settles = Math.max(0, ...systems.map(({ settles = 0 }) => settles));
  // What a late call has changed after all was done is found when that is looked at once more.
  const afterLate = outage?.lastLate ? settles / sweepEvery : 0;
  const mostSweeps = outage ? (scenario.sweepsAfterOutage ?? sweepsAfterOutage) + afterLate : usual;
  const calm = clock.now();
  const step = 5_000;
  let left = unfinished();
  while (!failure && left && clock.now() - calm < (swept ? (mostSweeps + 0.5) * sweepEvery : withoutSweeps)) {
    await clock.advance(step);
    left = unfinished();
  }
  failure ??= left && {
    ...left,
    message: `${left.message} ${swept ? `${mostSweeps} sweeps` : "30 seconds without a fault"} have passed.`,
  };
  const sweeps = Math.ceil((clock.now() - calm) / sweepEvery);
  if (!failure) failure = await restsThen(unfinished);

  /** An object with the note of an outage. */
  function noted(): string | undefined {
    const object = kinds.flatMap((kind) => [...history.live(kind)]).find(hasOutageNote);
    return object && `${object.kind} ${object.metadata.name}`;
  }

  async function restsThen(check: () => Failure | undefined): Promise<Failure | undefined> {
    // What was delayed by a fault may still arrive, and a sweep that failed takes back in the next one what it said of
    // that; after that nothing of ours has a reason to write.
    let before = 0;
    let since: number;
    do {
      since = clock.now();
      await clock.advance(2.5 * sweepEvery + settles);
      // A note is due by the clock of one instance, and goes by that of another: a minute apart, they cost sweeps.
      for (let more = 0; more < 2 && noted(); more++) await clock.advance(sweepEvery);
      before = changes.filter(isOurs).length;
      await clock.advance(1.5 * sweepEvery);
      // A point may lie in this very rest: then it begins again.
    } while (struckAt >= since);
    const written = changes.filter(isOurs).slice(before);
    const [first] = written;
    if (first)
      return { name: "rests", message: `Nothing changes any more, and ${describeChange(first)}, by ${first.by.name}.` };
    if (failure) return failure;
    const tooMuch = counts.tooMuch();
    const waiting = noted();
    if (waiting) return { name: "rests", message: `All is back, and ${waiting} still has the note of an outage.` };
    return check() ?? (tooMuch ? { name: "asks-little", message: tooMuch } : undefined);
  }

  const end = failure ? [] : systems.flatMap((system) => system.end?.(truth) ?? []);
  if (failure) trace.add("simulation", `${failure.name}: ${failure.message}`);
  sweeping.abort(new Error("The run is over."));
  cluster.stop();
  await clock.settle();
  const isMet = missed > 0 || outage?.refusedSince !== undefined;
  const away = outage && { isMet, from: outage.begins - since, to: outage.ends - since, late: outage.lastLate - since };
  return { failure, trace: trace.lines, struck: schedule.struck, requests, sweeps, end, acted: actedIn, away };
}

const hasOutageNote = ({ metadata }: KubernetesObject) =>
  Object.keys(metadata.annotations ?? {}).some((key) => key.startsWith("holdfast.dev/") && key.endsWith(".away"));

/** Whether the object says which external system it waits for: in an annotation of ours, or in a condition. */
function namesOutage({ metadata, status }: KubernetesObject & { status?: Status }, system: string): boolean {
  const named = new RegExp(`${system}.*(away|reached|answer|asked|unreachable)`, "is");
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith("holdfast.dev/"));
  // The names of fields and steps are not for people.
  const sentences = annotations.map(([, text]) => (text.startsWith("{") ? text.split('"because":')[1] : text) ?? "");
  const messages = (status?.conditions ?? []).map(({ message = "" }) => message);
  return [...sentences, ...messages].some((text) => named.test(text));
}

interface Status {
  readonly conditions?: readonly { readonly message?: string }[];
}

const withTurnsAsShipped = new WeakMap<Setting, Setting>();

/** A setting whose objects have their resync as often as they have it where Holdfast is installed. */
function withRealTurns(setting: Setting): Setting {
  const { edit: _, ...rest } = setting;
  const made = withTurnsAsShipped.get(setting) ?? rest;
  withTurnsAsShipped.set(setting, made);
  return made;
}

function ratesOf({ faults, loseAllEvents = false }: RunSpec, streams: Streams): Rates {
  if (faults) return drawRates(streams("rates"), loseAllEvents);
  return loseAllEvents ? { ...faultFree, source: { drop: 1 } } : faultFree;
}
