import { DiagLogLevel, diag } from "@opentelemetry/api";
import { NodeSDK } from "@opentelemetry/sdk-node";
import type { Log } from "../log.ts";
import { slug } from "../rule.ts";
import { instrumentsOf } from "./instruments.ts";
import { listedSteps } from "./listed-steps.ts";
import { observedClient, observedTransport } from "./observe-calls.ts";
import { observeEvent, observePart } from "./observe-parts.ts";
import { spansOf } from "./spans.ts";
import type { Telemetry } from "./telemetry.ts";

/** How long the end of a process waits for what is not sent yet, in milliseconds. */
const patience = 2_000;

/**
 * Starts telemetry for a function (`<system>/<rule>`) as the `OTEL_` variables of the process ask for it. What is
 * measured is sent by timers of the SDK, beside the work and never within it: what a collector that is away
 * would have received is lost. One warning says so.
 *
 * @throws what the SDK throws where a variable cannot be used
 */
export function startTelemetry(name: string, log: Log): Telemetry {
  const defaults = {
    // An instance lives for some seconds after its last event. By the SDK's own minute it would have sent nothing yet
    // when it is killed.
    OTEL_METRIC_EXPORT_INTERVAL: "10000",
    // The others ask the machine, or say how the process was started.
    OTEL_NODE_RESOURCE_DETECTORS: "serviceinstance,env",
  };
  for (const [variable, value] of Object.entries(defaults)) process.env[variable] ||= value;
  if (!/(^|,)\s*service\.name\s*=/.test(process.env.OTEL_RESOURCE_ATTRIBUTES ?? ""))
    process.env.OTEL_SERVICE_NAME ||= slug(name);
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT } =
    process.env;
  if (!process.env.OTEL_LOG_LEVEL) warnOnce(name, log);
  const sdk = new NodeSDK({
    // Logs go to standard output, where a function's logs are looked for.
    logRecordProcessors: [],
    ...(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ? {} : { spanProcessors: [] }),
    ...(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ? {} : { metricReaders: [] }),
  });
  sdk.start();
  const instruments = instrumentsOf(name);
  // The sweep alone lists every object on which something can be written.
  const listed = name === "platform/sweep" ? { listed: listedSteps(instruments) } : {};
  const signals = { spans: spansOf(name), instruments, ...listed };
  return {
    observe: (part, work) => observePart(part, work, signals),
    handler: (handle) => (request) => observeEvent(name, request, handle, signals),
    client: (client) => observedClient(client, signals),
    transport: (system, transport) => observedTransport(system, transport, signals),
    stop: async () => {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, patience);
      await Promise.race([sdk.shutdown().catch(() => {}), late.promise]);
      clearTimeout(timer);
    },
  };
}

/** What the SDK complains of, which is a collector that is away most of the time. */
function warnOnce(rule: string, log: Log): void {
  let warned = false;
  const warn = (message: string) => {
    if (warned) return;
    warned = true;
    log.warn({ rule }, `Telemetry was not sent; the function goes on without: ${message.slice(0, 500)}`);
  };
  const silent = () => {};
  diag.setLogger({ error: warn, warn, info: silent, debug: silent, verbose: silent }, { logLevel: DiagLogLevel.WARN });
}
