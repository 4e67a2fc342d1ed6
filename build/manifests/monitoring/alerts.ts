import type { Declared } from "../declared.ts";
import { adviceOf } from "../event-advice.ts";
import { deadLetterFunction } from "../metadata.ts";
import { minutesBetweenTicks, sweepFunction } from "../sweep.ts";
import { events, firstDue, oldest, oneOf, ticks } from "./promql.ts";
import { awayReasons, keptSteps, saysAway, type WrittenStep, writtenSteps } from "./steps.ts";

/** A rule of Prometheus that raises an alert. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook: string };
}

/** How long objects are in a step before an alert is raised, in seconds. */
const hour = 3_600;
const day = 86_400;

/** How many hours before a kept volume is due an alert says so. */
const warnedBefore = 6;

/** Steps that last for as long as an administrator has chosen. */
const meantToLast = ["VolumeKept", "VolumeOffered"];

const runbook = (page: string) => `docs/${page}`;
const stepOf = "{{ $labels.holdfast_rule }}, step {{ $labels.holdfast_step }}";
const sinceWhen = "for {{ $value | humanizeDuration }}";

/** What an administrator is to hear of, most urgent first. */
export function alertsFor(functions: readonly Declared[]): readonly Alert[] {
  const missed = `${3 * minutesBetweenTicks}m`;
  const steps = writtenSteps(functions).filter(({ reason }) => !saysAway(reason) && !meantToLast.includes(reason));
  return [
    {
      alert: "HoldfastSweepLate",
      expr: `(${ticks(missed)}) == 0`,
      for: `${minutesBetweenTicks}m`,
      labels: { severity: "critical" },
      annotations: {
        summary: "The sweep of Holdfast is late.",
        description:
          `No tick of the sweep has ended well in ${3 * minutesBetweenTicks} minutes, or no metrics of it arrive. ` +
          "Objects that are due wait, and lost events are not made up for. See whether the PingSource sweep (without " +
          "Knative: the Deployment platform-source) and the function platform-sweep in the namespace of Holdfast are " +
          "ready.",
        runbook: runbook("monitoring.md#what-to-watch-without-prometheus"),
      },
    },
    {
      alert: "HoldfastSourceOrBrokerNotReady",
      expr: `${oldest(`holdfast_rule="${sweepFunction}", holdfast_step=~"(ApiServerSource|Broker)NotReady"`)} > 600`,
      for: "0m",
      labels: { severity: "critical" },
      annotations: {
        summary: "A source or a broker of Holdfast is not Ready: {{ $labels.holdfast_step }}.",
        description:
          `It has not been Ready ${sinceWhen}. Events of changes, and those of the sweep, may reach no function. In ` +
          "the namespace of Holdfast, kubectl get apiserversources,brokers names it, and kubectl describe says why.",
        runbook: runbook("monitoring.md#what-to-watch-without-prometheus"),
      },
    },
    {
      alert: "HoldfastFunctionFailing",
      expr:
        `sum by (holdfast_function) (${events('http_response_status_code=~"[45].."', "15m")}) / ` +
        `sum by (holdfast_function) (${events("", "15m")}) > 0.5`,
      for: "15m",
      labels: { severity: "warning" },
      annotations: {
        summary: "{{ $labels.holdfast_function }} fails.",
        description:
          "{{ $value | humanizePercentage }} of the events of {{ $labels.holdfast_function }} failed. Its log says " +
          "why, with the level error.",
        runbook: runbook("troubleshooting.md"),
      },
    },
    {
      alert: "HoldfastEventDeadLettered",
      expr: `sum(${events(`holdfast_function="${deadLetterFunction}"`, "1h")}) > 0`,
      for: "0m",
      labels: { severity: "warning" },
      annotations: {
        summary: "Functions of Holdfast did not take some events.",
        description:
          "{{ $value | humanize }} events were dead-lettered within an hour. kubectl get events -A --field-selector " +
          "reason=EventDeadLettered names the objects and the functions.",
        runbook: runbook("dead-letters.md"),
      },
    },
    {
      alert: "HoldfastSystemAway",
      expr: `(${oldest(`holdfast_step=~".+(${oneOf(awayReasons)})"`)}${awayByName(functions)}) > 600`,
      for: "0m",
      labels: { severity: "warning" },
      annotations: {
        summary: "An external system is away: {{ $labels.holdfast_step }}.",
        description: `Objects wait for it ${sinceWhen} (${stepOf}). Repair it. Holdfast goes on within one sweep.`,
        runbook: runbook("while-it-is-down.md"),
      },
    },
    {
      alert: "HoldfastKeptVolumeDue",
      expr: `${firstDue(selectorOf(keptSteps(functions)))} - time() < ${warnedBefore * hour}`,
      for: "0m",
      labels: { severity: "info" },
      annotations: {
        summary: `A kept volume is due in less than ${warnedBefore} hours.`,
        description:
          "Then Kubernetes may reclaim the volume, and its data with it ({{ $labels.holdfast_step }}). " +
          "holdfast restore list names the volumes and their times, and holdfast restore keep keeps a volume longer.",
        runbook: runbook("undelete.md#change-the-time"),
      },
    },
    ...[...Map.groupBy(steps, ({ reason }) => reason)].map(([reason, of]) => longIn(reason, of)),
  ];
}

/** Rules that give the outage a step of their own. */
function awayByName(functions: readonly Declared[]): string {
  const own = writtenSteps(functions).filter(({ reason }) => saysAway(reason));
  return own.length > 0 ? ` or ${oldest(selectorOf(own))}` : "";
}

/** Objects are in a step for too long: at once where the step calls for a person. */
function longIn(reason: string, steps: readonly WrittenStep[]): Alert {
  const isStuck = steps.some(({ type }) => type === "Warning");
  return {
    alert: isStuck ? "HoldfastObjectStuck" : "HoldfastObjectWaitsLong",
    expr: `${oldest(selectorOf(steps))} > ${isStuck ? hour : day}`,
    for: "0m",
    labels: { severity: isStuck ? "warning" : "info", reason },
    annotations: {
      summary: `${isStuck ? "An object is stuck" : "An object waits long"}: ${reason}.`,
      description:
        `The oldest has been there ${sinceWhen} (${stepOf}). ${plain(adviceOf(reason))} ` +
        (steps.some(({ rule }) => rule === "pvc-protection/release")
          ? "The page docs/what-is-held.md has the commands that list the objects."
          : '"holdfast status -o wide" names the objects.'),
      runbook: runbook("events.md"),
    },
  };
}

/** What selects the series of these steps. */
export function selectorOf(steps: readonly WrittenStep[]): string {
  const of = (key: "rule" | "step") => oneOf(steps.map((step) => step[key]).sort());
  return `holdfast_rule=~"${of("rule")}", holdfast_step=~"${of("step")}"`;
}

/** Without the marks of Markdown. */
const plain = (text: string) => text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll("`", "");
