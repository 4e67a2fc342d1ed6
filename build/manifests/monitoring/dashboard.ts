import { type Declared, systemOf } from "../declared.ts";
import { deadLetterFunction } from "../metadata.ts";
import { selectorOf } from "./alerts.ts";
import { events, firstDue, grown, objects, oldest, ticks } from "./promql.ts";
import { keptSteps, writtenSteps } from "./steps.ts";

interface Panel {
  readonly type: "stat" | "timeseries";
  readonly title: string;
  readonly description: string;
  /** Of Grafana: `s` for seconds, `short` for counts. */
  readonly unit: "s" | "short";
  readonly expr: string;
  /** What a series is called. */
  readonly legend: string;
}

interface Row {
  readonly title: string;
  /** Panels side by side. */
  readonly columns: number;
  readonly panels: readonly Panel[];
}

const rowsFor = (functions: readonly Declared[]): readonly Row[] => [
  { title: "Health", columns: 3, panels: [...health, ...keptVolumes(functions)] },
  { title: "Age of the oldest object in each step", columns: 2, panels: ages(functions) },
  { title: "Functions", columns: 2, panels: work },
  { title: "Calls to the cluster and to external systems", columns: 2, panels: calls },
];

const stat = (title: string, expr: string, description: string, unit: Panel["unit"] = "short"): Panel => ({
  type: "stat",
  ...{ title, description, unit, expr, legend: title },
});

const series = (
  title: string,
  expr: string,
  legend: string,
  description: string,
  unit: Panel["unit"] = "short",
): Panel => ({ type: "timeseries", title, description, unit, expr, legend });

const sum = (expr: string, ...by: readonly string[]) => `sum by (${by.join(", ")}) (${expr})`;
const total = (expr: string) => `sum(${expr}) or vector(0)`;

/** So many of the calls or events took no longer than this. */
const slowest = (metric: string, by: string) =>
  `histogram_quantile(0.95, ${sum(grown(`holdfast_${metric}_seconds_bucket`, "15m"), by, "le")})`;

const health = [
  stat("Ticks of the sweep in 15 minutes", ticks("15m"), "0 means that the sweep is late, or that no metrics arrive."),
  stat(
    "Dead-lettered events in an hour",
    total(events(`holdfast_function="${deadLetterFunction}"`, "1h")),
    "Events that a function did not take.",
  ),
  stat(
    "Failed events in an hour",
    total(events('http_response_status_code=~"[45].."', "1h")),
    "Most are tried again. What is refused for good is dead-lettered.",
  ),
  stat("The oldest object", `max(${oldest("")}) or vector(0)`, "How long it has been in its step.", "s"),
];

function keptVolumes(functions: readonly Declared[]): readonly Panel[] {
  const kept = selectorOf(keptSteps(functions));
  const about = "Volumes that undelete keeps after their claims are gone, also those that are offered to a new claim.";
  return [
    stat("Kept volumes", `${objects(kept)} or vector(0)`, about),
    stat(
      "Until the first kept volume is due",
      `min(${firstDue(kept)}) - time()`,
      "Then Kubernetes may reclaim the volume, and its data with it. Empty if no kept volume has a time.",
      "s",
    ),
  ];
}

/** A panel for each system whose rules have steps. */
function ages(functions: readonly Declared[]): readonly Panel[] {
  return [...Map.groupBy(functions, systemOf)].flatMap(([system, members]) => {
    const steps = writtenSteps(members).map(({ step, reason }) => `${step} (${reason})`);
    if (!members.some(({ steps }) => steps)) return [];
    const named = steps.length > 0 ? ` Steps with an Event: ${[...new Set(steps)].join(", ")}.` : "";
    const about = `As the last ticks of the sweep found it.${named}`;
    return series(system, oldest(`holdfast_rule=~"${system}/.+"`), "{{holdfast_rule}}: {{holdfast_step}}", about, "s");
  });
}

const work = [
  series(
    "Events in 15 minutes",
    sum(events("", "15m"), "holdfast_function", "http_response_status_code"),
    "{{holdfast_function}}: {{http_response_status_code}}",
    "By function and answer.",
  ),
  series(
    "95% of events took less than",
    slowest("event_duration", "holdfast_function"),
    "{{holdfast_function}}",
    "From the arrival to the answer, without the start of an instance.",
    "s",
  ),
  series(
    "Decisions in 15 minutes",
    sum(grown("holdfast_decisions_total", "15m"), "holdfast_rule", "holdfast_outcome"),
    "{{holdfast_rule}}: {{holdfast_outcome}}",
    "By rule and outcome. stop: a person must act. away: an external system cannot be reached.",
  ),
  series(
    "Objects that entered a step in 15 minutes",
    sum(grown("holdfast_steps_entered_total", "15m"), "holdfast_rule", "holdfast_step"),
    "{{holdfast_rule}}: {{holdfast_step}}",
    "By rule and step.",
  ),
  series(
    "95% of runs took less than",
    slowest("run_duration", "holdfast_rule"),
    "{{holdfast_rule}}",
    "From the first look to the last write.",
    "s",
  ),
  series(
    "95% of objects had waited for less than",
    slowest("step_age", "holdfast_rule"),
    "{{holdfast_rule}}",
    "When their rule looked at them again.",
    "s",
  ),
];

const calls = [
  series(
    "Calls in 15 minutes",
    sum(grown("holdfast_call_duration_seconds_count", "15m"), "holdfast_system", "http_response_status_code"),
    "{{holdfast_system}} {{http_response_status_code}}",
    "Without a status: answered well by Kubernetes, or not answered at all.",
  ),
  series(
    "95% of calls took less than",
    slowest("call_duration", "holdfast_system"),
    "{{holdfast_system}}",
    "A list is one call.",
    "s",
  ),
];

const width = 24;
const heights = { stat: 4, timeseries: 8 };
const source = { type: "prometheus", uid: "$datasource" };

/** The dashboard as Grafana imports it. */
export function dashboardFor(functions: readonly Declared[]): object {
  const panels: object[] = [];
  let y = 0;
  for (const { title, columns, panels: own } of rowsFor(functions)) {
    panels.push({ id: panels.length + 1, type: "row", title, gridPos: { x: 0, y, w: width, h: 1 } });
    y++;
    const [w, h] = [width / columns, heights[own[0]?.type ?? "stat"]];
    for (const [index, { type, title, description, unit, expr, legend }] of own.entries())
      panels.push({
        id: panels.length + 1,
        ...{ type, title, description, datasource: source },
        gridPos: { x: (index % columns) * w, y: y + Math.floor(index / columns) * h, w, h },
        fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
        targets: [{ refId: "A", datasource: source, expr, legendFormat: legend }],
      });
    y += Math.ceil(own.length / columns) * h;
  }
  return {
    ...{ uid: "holdfast", title: "Holdfast", tags: ["holdfast"], schemaVersion: 39, editable: true },
    ...{ refresh: "1m", time: { from: "now-6h", to: "now" } },
    templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Data source" }] },
    panels,
  };
}
