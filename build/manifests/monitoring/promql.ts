import { sweepFunction } from "../sweep.ts";

/**
 * By how much a counter has grown within a window such as `15m`, series by series. Each instance of a function is a
 * series of its own that begins at zero and may have one point: `increase` alone sees no growth in such a series.
 */
export function grown(counter: string, window: string): string {
  const recent = `${counter}[${window}]`;
  return `(last_over_time(${recent}) unless ${counter} offset ${window} or increase(${recent}))`;
}

/** Events that functions have worked on, by how they were answered. */
export const events = (selector: string, window: string) =>
  grown(`holdfast_event_duration_seconds_count{${selector}}`, window);

/** Ticks of the sweep that ended well; 0 where there is no metric of it. */
export const ticks = (window: string) =>
  `sum(${events(`holdfast_function="${sweepFunction}", http_response_status_code=~"2.."`, window)}) or vector(0)`;

/** How long the oldest object has been in each step, in seconds. Two ticks of the sweep lie within the window. */
export const oldest = (selector: string) =>
  `max by (holdfast_rule, holdfast_step) (max_over_time(holdfast_step_oldest_seconds{${selector}}[11m]))`;

/** How many objects are in these steps together. */
export const objects = (selector: string) =>
  `sum(max by (holdfast_rule, holdfast_step) (max_over_time(holdfast_step_objects{${selector}}[11m])))`;

/** When the first object in each step is due, as Unix time. A step without due objects has no series. */
export const firstDue = (selector: string) =>
  `min by (holdfast_rule, holdfast_step) (last_over_time(holdfast_step_due_timestamp_seconds{${selector}}[11m]) > 0)`;

/** A regular expression for one of these texts. */
export const oneOf = (texts: readonly string[]) => [...new Set(texts)].join("|");
