import { functionNames } from "../../esbuild.config.mjs";
import type { BeginSpan } from "../../eventing/spans.ts";
import type { Hop } from "../../eventing/trace.ts";
import { slug } from "../../shared/rule.ts";
import { decisionLine, isLogRecord, type LogRecord } from "../../shared/terminal/decision-line.ts";
import { type Colour, row } from "../../shared/terminal/row.ts";
import type { Terminal } from "../../shared/terminal/terminal.ts";
import type { Trouble } from "../controllers/controller.ts";
import type { RevisionName } from "../serving/activator.ts";
import type { InstanceEvent } from "../serving/revision.ts";
import type { Counts } from "../tour/tour.ts";

/** Shows what sources, brokers and functions do, and counts it. */
export type Activity = ReturnType<typeof createActivity> & {
  /** Spans of sources and brokers; absent where no trace is printed. */
  readonly beginSpan?: BeginSpan;
};

/** Prints each decision and each coming and going of a function; events that change nothing are only counted. */
export function createActivity(terminal: Terminal) {
  let emitted = 0;
  let delivered = 0;
  let started = 0;
  let sweeps = 0;
  const repeats = withoutEchoes();
  const say = (name: string, word: string, colour: Colour, sentence: string) =>
    terminal.print(row(terminal, name, word, colour, sentence));

  /** A sentence, and what a process said line by line, which is no prose. */
  function sayWithOutput(name: string, word: string, sentence: string): void {
    const [head = "", ...lines] = sentence.split("\n");
    say(name, word, "red", head);
    for (const line of lines)
      terminal.print(terminal.paint("dim", `    ${line.slice(0, (terminal.width ?? 200) - 4)}`));
  }

  return {
    onEvent({ service, revision }: RevisionName, event: InstanceEvent) {
      const name = shortName(service);
      switch (event.what) {
        case "started":
          if (service === sweep) sweeps++;
          else started++;
          return say(name, "awake", "cyan", `${revision} listens after ${Math.round(event.ms)} ms.`);
        case "stopped":
          return say(name, "asleep", "dim", `${revision} ${sleepy[event.message]}`);
        case "crashed":
          return sayWithOutput(name, "crash", `${revision}: ${event.message}`);
        case "failed":
          return sayWithOutput(name, "broken", `${revision}: ${event.message}`);
      }
    },
    onRecord(_: RevisionName, record: Record<string, unknown>) {
      if (!isLogRecord(record)) return terminal.print(JSON.stringify(record));
      if (!repeats(record)) terminal.print(decisionLine(record, terminal));
    },
    onHop(hop: Hop) {
      if (hop.hop === "emitted" && hop.event.type?.startsWith("dev.knative.apiserver.")) emitted++;
      // A source delivers, too: to its broker. The sweep is called by the clock.
      if (hop.hop === "delivered" && hop.by.startsWith("Trigger ") && !hop.to.includes(`/${sweep}.`)) delivered++;
      if (hop.hop === "dropped") say("broker", "lost", "red", `${hop.by}: ${hop.message}`);
      if (hop.hop === "failed") {
        const next = hop.retryIn === undefined ? "it is not tried again" : `again in ${hop.retryIn} ms`;
        say("broker", "retry", "yellow", `${hop.to} answered ${hop.status || "nothing"}; ${next}.`);
      }
      if (hop.hop === "gap") say("source", "gap", "yellow", `${hop.by}: ${hop.message}`);
    },
    onTrouble({ controller, subject, error }: Trouble) {
      const message = error instanceof Error ? error.message : String(error);
      say(controller, "retry", "yellow", `${subject}: ${message}`);
    },
    counts: (): Counts => ({ emitted, delivered, started, sweeps }),
  };
}

const sweep = "platform-sweep";

/**
 * A decision that a rule writes down comes back as an event, upon which it decides the same: that is not shown again.
 */
function withoutEchoes(): (record: LogRecord) => boolean {
  const last = new Map<string, { text: string; at: number }>();
  return ({ rule, uid, decision, msg }) => {
    if (uid === undefined) return false;
    const key = `${rule} ${uid}`;
    const text = `${decision} ${msg}`;
    const before = last.get(key);
    last.set(key, { text, at: performance.now() });
    return before?.text === text && performance.now() - before.at < echo;
  };
}

const echo = 2000;

const sleepy = {
  idle: "is back at zero.",
  replaced: "has answered what it had and is gone.",
  closing: "was stopped.",
};

/** `pvc-protection-release` is `release` to people. */
function shortName(service: string): string {
  const rule = functionNames().find((name) => slug(name) === service);
  return rule?.split("/").at(-1) ?? service;
}
