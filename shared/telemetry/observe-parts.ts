import type { HttpRequest, HttpResponse } from "../http-message.ts";
import { describe, referenceTo } from "../kubernetes/object.ts";
import type { Conflict, Outcome } from "../outcome.ts";
import type { RunResult } from "../pipeline/run.ts";
import type { Progress } from "../progress.ts";
import { nameOf } from "../subject.ts";
import type { Instruments } from "./instruments.ts";
import type { Part } from "./observe.ts";
import { type Signals, stopwatch } from "./signals.ts";
import { failed } from "./spans.ts";
import { tracesOn } from "./trace-in-progress.ts";

/** Works on an event: the outermost span, and the duration until the answer. */
export function observeEvent(
  name: string,
  request: HttpRequest,
  handle: (request: HttpRequest) => Promise<HttpResponse>,
  { spans, instruments, listed }: Signals,
): Promise<HttpResponse> {
  const elapsed = stopwatch();
  // What is called at the end would hold the request, with its body, until then.
  let given: HttpRequest | undefined = request;
  const begin = () => {
    const taken = given as HttpRequest;
    given = undefined;
    return handle(taken);
  };
  return spans.ofEvent<HttpResponse>(request, begin, (span, result) => {
    const { status, body } = (result as HttpResponse | undefined) ?? { status: 500, body: "" };
    listed?.report();
    instruments.event(elapsed(), { "holdfast.function": name, "http.response.status_code": status });
    span?.setAttribute("http.response.status_code", status);
    if (status >= 400) failed(span, body);
  });
}

/** Does a part of a rule's way with a span around it, and counts what it came to. */
export function observePart<Result>(part: Part, work: () => Result, signals: Signals): Result {
  const { spans, instruments } = signals;
  switch (part.name) {
    case "run": {
      const { rule, subject, events } = part;
      const elapsed = stopwatch();
      const attributes = { "holdfast.rule": rule, "holdfast.subject": nameOf(subject) };
      return spans.within(`run ${rule}`, { attributes, events }, work, (span, result) => {
        const { failed: whole, lost } = (result as RunResult | undefined) ?? {};
        const outcome = whole ?? lost;
        if (outcome) {
          failed(span, outcome.message);
          instruments.decision({ "holdfast.rule": rule, "holdfast.outcome": outcome.result });
        }
        instruments.run(elapsed(), {
          "holdfast.rule": rule,
          ...(outcome ? { "error.type": String(outcome.status) } : {}),
        });
      });
    }
    case "decision":
      return observeDecision(part, work, signals);
    default:
      return spans.within(part.name, {}, work);
  }
}

function observeDecision<Result>(
  { rule, decision, before }: Extract<Part, { name: "decision" }>,
  work: () => Result,
  { spans, instruments }: Signals,
): Result {
  const step = "step" in decision ? decision.step?.name : undefined;
  const attributes = {
    "holdfast.rule": rule,
    "holdfast.object": describe(referenceTo(decision.about)),
    "holdfast.message": decision.message,
    ...(step ? { "holdfast.step": step } : {}),
  };
  const follows = tracesOn(decision.about);
  return spans.within(decision.do, { attributes, follows }, work, (span, result) => {
    const outcome = result as Outcome | Conflict | undefined;
    if (!outcome) return;
    span.setAttribute("holdfast.outcome", "conflict" in outcome ? "conflict" : outcome.result);
    // What was not carried out is decided once more.
    if ("conflict" in outcome) return;
    instruments.decision({ "holdfast.rule": rule, "holdfast.outcome": outcome.result });
    if (outcome.result === "failed" || outcome.result === "away") failed(span, outcome.message);
    else if (step) measureStep({ "holdfast.rule": rule, "holdfast.step": step }, before(), instruments);
  });
}

/** What was written down before the decision shows whether the object enters the step, or since when it is there. */
function measureStep(
  attributes: Readonly<Record<"holdfast.rule" | "holdfast.step", string>>,
  before: Progress | undefined,
  { stepEntered, stepAge }: Instruments,
): void {
  if (before?.step !== attributes["holdfast.step"]) stepEntered(attributes);
  else stepAge(Math.max(0, Date.now() - Date.parse(before.since)) / 1000, attributes);
}
