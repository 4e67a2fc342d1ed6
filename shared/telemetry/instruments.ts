import { type Attributes, metrics } from "@opentelemetry/api";

/** Bounds of histograms for what takes a moment, in seconds: those of OpenTelemetry's conventions for HTTP. */
const moments = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30];

/** Bounds for how long an object waits, in seconds: a minute to a week. */
const waits = [60, 300, 900, 3_600, 21_600, 86_400, 604_800];

/** What is counted and measured. Durations are in seconds. */
export interface Instruments {
  readonly event: (seconds: number, attributes: Attributes) => void;
  readonly run: (seconds: number, attributes: Attributes) => void;
  readonly decision: (attributes: Attributes) => void;
  readonly stepEntered: (attributes: Attributes) => void;
  /** How long an object has been in the step that it was found in. */
  readonly stepAge: (seconds: number, attributes: Attributes) => void;
  /** How long the oldest object that the sweep has listed has been in a step. */
  readonly stepOldest: (seconds: number, attributes: Attributes) => void;
  /** How many objects that the sweep has listed are in a step. */
  readonly stepObjects: (objects: number, attributes: Attributes) => void;
  /** When the first object that the sweep has listed in a step is due, in seconds since the epoch; 0 if none is. */
  readonly stepDue: (seconds: number, attributes: Attributes) => void;
  readonly call: (seconds: number, attributes: Attributes) => void;
}

/** The instruments of a function, by OpenTelemetry's meter. `docs/tracing.md` says what each is for. */
export function instrumentsOf(scope: string): Instruments {
  const meter = metrics.getMeter(scope);
  const histogram = (name: string, description: string, bounds = moments) => {
    const advice = { explicitBucketBoundaries: bounds };
    const made = meter.createHistogram(name, { description, unit: "s", advice });
    return (seconds: number, attributes: Attributes) => made.record(seconds, attributes);
  };
  const counter = (name: string, description: string, unit: string) => {
    const made = meter.createCounter(name, { description, unit });
    return (attributes: Attributes) => made.add(1, attributes);
  };
  const gauge = (name: string, description: string, unit: string) => {
    const made = meter.createGauge(name, { description, unit });
    return (value: number, attributes: Attributes) => made.record(value, attributes);
  };
  return {
    event: histogram("holdfast.event.duration", "From an event's arrival to its answer."),
    run: histogram("holdfast.run.duration", "From a run's first look to its last write."),
    decision: counter("holdfast.decisions", "Outcomes of decisions.", "{decision}"),
    stepEntered: counter("holdfast.steps.entered", "Objects that entered a step.", "{object}"),
    stepAge: histogram("holdfast.step.age", "How long a waiting object has been in its step.", waits),
    stepOldest: gauge("holdfast.step.oldest", "How long the oldest object has been in a step.", "s"),
    stepObjects: gauge("holdfast.step.objects", "How many objects are in a step.", "{object}"),
    stepDue: gauge("holdfast.step.due_timestamp", "When the first object in a step is due, as Unix time.", "s"),
    call: histogram("holdfast.call.duration", "Calls to Kubernetes and to external systems."),
  };
}
