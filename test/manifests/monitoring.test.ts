import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Attributes } from "@opentelemetry/api";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { headingId } from "../../build/docs/heading-id.ts";
import { loadDeclared } from "../../build/manifests/declared.ts";
import type { Alert } from "../../build/manifests/monitoring/alerts.ts";
import { writtenSteps } from "../../build/manifests/monitoring/steps.ts";
import { ApiServerSource, Broker } from "../../functions/platform/sweep/ways.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { listedSteps } from "../../shared/telemetry/listed-steps.ts";
import { blocksBelow } from "../cluster/walk/page.ts";
import { readKustomization, root } from "./kustomization.ts";

const file = join(root, "knative/monitoring/alerts.yaml");
const rules = parse(readFileSync(file, "utf8")) as { readonly groups: readonly { readonly rules: readonly Alert[] }[] };
const alerts = rules.groups.flatMap((group) => group.rules);

test("alerts are the same for Prometheus and for its operator, and each points to a document", () => {
  const [object] = readKustomization("knative/monitoring").objects;
  expect(object?.spec).toEqual(rules);
  for (const { annotations } of alerts) {
    const [document = "", anchor] = annotations.runbook.split("#");
    expect(existsSync(join(root, document))).toBe(true);
    const headings = [...readFileSync(join(root, document), "utf8").matchAll(/^#+ (.*)$/gm)];
    if (anchor) expect(headings.map(([, heading]) => headingId(heading as string))).toContain(anchor);
  }
});

test("each step with an Event has one alert, unless it is meant to last", async () => {
  const byAge = alerts.filter(({ expr }) => expr.includes("holdfast_step_oldest"));
  const selected = byAge.map(({ expr }) =>
    [...expr.matchAll(/(?:holdfast_rule=~"([^"]+)", )?holdfast_step=~"([^"]+)"/g)].map(([, rule = ".*", step]) => ({
      rule: new RegExp(`^(${rule})$`),
      step: new RegExp(`^(${step})$`),
    })),
  );
  const found = writtenSteps(await loadDeclared(root)).map(({ rule, step, reason }) => {
    const by = selected.filter((selectors) => selectors.some((one) => one.rule.test(rule) && one.step.test(step)));
    return { reason, alerts: by.length };
  });
  expect(found.filter(({ alerts }) => alerts !== 1)).toEqual([
    { reason: "VolumeKept", alerts: 0 },
    { reason: "VolumeOffered", alerts: 0 },
  ]);
});

test("one alert says that a kept volume is due soon, in each step in which its claim is gone", async () => {
  const [alert, ...others] = alerts.filter(({ expr }) => expr.includes("holdfast_step_due_timestamp"));
  expect([alert?.alert, others]).toEqual(["HoldfastKeptVolumeDue", []]);
  const [, selected = ""] = /holdfast_step=~"([^"]+)"/.exec(alert?.expr ?? "") ?? [];
  const noted = writtenSteps(await loadDeclared(root)).filter(({ rule }) => rule === "undelete/note");
  const found = noted.map(({ step }) => step).filter((step) => new RegExp(`^(${selected})$`).test(step));
  expect(found.sort()).toEqual(["asks", "kept", "offered"]);
});

test("the alert for too many kept volumes that the page shows asks what the panel does", () => {
  const block = blocksBelow("docs/monitoring.md", "Alerts and a dashboard for Prometheus and Grafana").at(-1);
  const [{ expr }] = parse(block?.text ?? "") as readonly [Alert];
  const { panels } = JSON.parse(readFileSync(join(root, "knative/monitoring/dashboard.json"), "utf8"));
  const panel = panels.find(({ title }: { readonly title: string }) => title === "Kept volumes");
  expect(expr).toBe(`${panel.targets[0].expr.replace(" or vector(0)", "")} > 50`);
});

test("sources and brokers that the sweep finds not Ready have one alert", () => {
  const found: string[] = [];
  const stepOldest = (_: number, { "holdfast.rule": rule, "holdfast.step": step }: Attributes) =>
    found.push(`holdfast_rule="${rule}" ${step}`);
  const { see, report } = listedSteps({ stepOldest, stepObjects: () => {}, stepDue: () => {} });
  for (const { kind } of [ApiServerSource, Broker])
    see({ kind }, { metadata: { uid: kind, creationTimestamp: "2026-01-01T00:00:00Z" } } as KubernetesObject);
  report();
  const by = found.map((series) => {
    const [rule = "", step = ""] = series.split(" ");
    const of = alerts.filter(({ expr }) => {
      const [, selected] = (expr.includes(rule) && /holdfast_step=~"([^"]+)"/.exec(expr)) || [];
      return selected && new RegExp(`^(${selected})$`).test(step);
    });
    return of.map(({ alert }) => alert);
  });
  expect(by).toEqual([["HoldfastSourceOrBrokerNotReady"], ["HoldfastSourceOrBrokerNotReady"]]);
});

const { HOLDFAST_PROMTOOL: promtool } = process.env;
const why = promtool ? "" : " (HOLDFAST_PROMTOOL does not name a promtool)";

function run(...args: readonly string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(promtool as string, args, { encoding: "utf8" });
  return { status, output: stdout + stderr };
}

test.skipIf(!promtool)(`promtool finds no fault with the rules${why}`, () => {
  expect(run("check", "rules", "--lint-fatal", file)).toMatchObject({ status: 0 });
});

/** A series of which there is one point, at a minute. */
const once = (minute: number, value: number) => `${minute > 0 ? `_x${minute} ` : ""}${value}`;

const event = (name: string, status: number, instance: string, values: string) => ({
  series:
    `holdfast_event_duration_seconds_count{holdfast_function="${name}",` +
    `http_response_status_code="${status}",instance="${instance}"}`,
  values,
});
/** A tick in every fifth minute, each by an instance of its own, which sends its metrics once. */
const ticks = (until: number) =>
  Array.from({ length: until / 5 + 1 }, (_, at) => event("platform/sweep", 204, `sweep-${at}`, once(5 * at, 1)));
/** What the ticks find of a step that an object entered at the beginning. */
const waits = (rule: string, step: string, until: number) =>
  Array.from({ length: until / 5 + 1 }, (_, at) => ({
    series: `holdfast_step_oldest_seconds{holdfast_rule="${rule}",holdfast_step="${step}",instance="sweep-${at}"}`,
    values: once(5 * at, 300 * at),
  }));
const answers = (status: number, until: number) =>
  Array.from({ length: until / 10 + 1 }, (_, at) =>
    event("pvc-protection/release", status, `release-${at}`, once(10 * at, 1)),
  );

interface Case {
  readonly series: readonly { readonly series: string; readonly values: string }[];
  /** What fires, minute by minute. */
  readonly firing: Readonly<Record<number, readonly string[]>>;
}

const late = "HoldfastSweepLate";
const stuck = "HoldfastObjectStuck";
const dueSoon = "HoldfastKeptVolumeDue";
/** What each tick finds of kept volumes, the first of which is due at `minute`; 0 where none is. */
const keptUntil = (step: string, minute: number, from: number, until: number) =>
  Array.from({ length: (until - from) / 5 + 1 }, (_, at) => ({
    series: `holdfast_step_due_timestamp_seconds{holdfast_rule="undelete/note",holdfast_step="${step}",instance="sweep-${from + 5 * at}"}`,
    values: once(from + 5 * at, 60 * minute),
  }));
const cases: Readonly<Record<string, Case>> = {
  "while nothing happens": { series: ticks(180), firing: { 10: [], 60: [], 180: [] } },
  "while work succeeds, with one event that is tried again": {
    series: [...ticks(120), ...answers(204, 120), event("pvc-protection/release", 503, "other", once(30, 1))],
    firing: { 30: [], 50: [], 120: [] },
  },
  "when no tick has come for three periods": { series: ticks(30), firing: { 45: [], 55: [late], 120: [late] } },
  "when ticks fail": {
    series: ticks(120).map(({ series, values }) => ({ series: series.replace('"204"', '"503"'), values })),
    firing: { 3: [], 10: [late], 40: ["HoldfastFunctionFailing", late] },
  },
  "when most events of a function fail": {
    series: [...ticks(60), ...answers(503, 60)],
    firing: { 10: [], 30: ["HoldfastFunctionFailing"] },
  },
  "for an hour after an event was dead-lettered by an instance that sends its metrics once": {
    series: [...ticks(120), event("platform/dead-letter", 204, "one", once(20, 1))],
    firing: { 15: [], 21: ["HoldfastEventDeadLettered"], 70: ["HoldfastEventDeadLettered"], 90: [] },
  },
  "when an object has been stuck for an hour, until it is not": {
    series: [...ticks(120), ...waits("satellite/mark", "stuck", 75)],
    firing: { 55: [], 70: [stuck], 100: [] },
  },
  "when a kept or offered volume is due within six hours, until a person gives it more time": {
    series: [
      ...ticks(120),
      ...keptUntil("kept", 400, 0, 60),
      ...keptUntil("kept", 2000, 65, 120),
      ...keptUntil("retained", 90, 0, 120),
    ],
    firing: { 20: [], 50: [dueSoon], 90: [] },
  },
  "when no kept volume has a time": { series: [...ticks(60), ...keptUntil("offered", 0, 0, 60)], firing: { 30: [] } },
  "when a broker is not Ready for ten minutes": {
    series: [...ticks(60), ...waits("platform/sweep", "BrokerNotReady", 60)],
    firing: { 5: [], 20: ["HoldfastSourceOrBrokerNotReady"] },
  },
  "when an external system is away for ten minutes, as the kit or as a rule names it": {
    series: [
      ...ticks(60),
      ...waits("satellite/evacuate", "LINSTORUnreachable", 60),
      ...waits("volume/job", "salt-away", 60),
    ],
    firing: { 5: [], 20: ["HoldfastSystemAway"] },
  },
  "when a deletion waits for more than a day, and not before": {
    series: [
      ...ticks(0).map(({ series }) => ({ series, values: "0+1x1500" })),
      ...waits("pvc-protection/release", "held", 0).map(({ series }) => ({ series, values: "0+60x1500" })),
    ],
    firing: { 1400: [], 1450: ["HoldfastObjectWaitsLong"] },
  },
};

test.skipIf(!promtool)(`alerts fire when they are to, and not at rest${why}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-alerts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tests = Object.entries(cases).map(([name, { series, firing }]) => ({
    name,
    interval: "1m",
    input_series: series,
    promql_expr_test: Object.entries(firing).map(([minute, names]) => ({
      expr: 'count by (alertname) (ALERTS{alertstate="firing"}) * 0 + 1',
      eval_time: `${minute}m`,
      exp_samples: names.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    })),
  }));
  writeFileSync(join(folder, "tests.yaml"), JSON.stringify({ rule_files: [file], evaluation_interval: "1m", tests }));
  expect(run("test", "rules", join(folder, "tests.yaml"))).toMatchObject({ status: 0 });
});
