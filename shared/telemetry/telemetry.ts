import type { HttpRequest, HttpResponse } from "../http-message.ts";
import type { Client } from "../kubernetes/client.ts";
import type { ExternalSystem } from "../system/system.ts";
import type { SystemTransport } from "../system/transport.ts";
import type { Observe } from "./observe.ts";

/** Traces and metrics of a function: what stands around its edges. None of it changes what passes, or waits for it. */
export interface Telemetry {
  readonly observe: Observe;
  readonly handler: (
    handle: (request: HttpRequest) => Promise<HttpResponse>,
  ) => (request: HttpRequest) => Promise<HttpResponse>;
  readonly client: (client: Client) => Client;
  readonly transport: (system: ExternalSystem, transport: SystemTransport) => SystemTransport;
  /** Sends what has not been sent yet, within two seconds. Never rejects. */
  readonly stop: () => Promise<void>;
}

/** Those of the OpenTelemetry specification that say where to send what is exported over OTLP. */
const endpoints = ["", "TRACES_", "METRICS_"].map((signal) => `OTEL_EXPORTER_OTLP_${signal}ENDPOINT`);

/** Whether the environment asks for telemetry: it names an endpoint, and `OTEL_SDK_DISABLED` is not `true`. */
export function isWanted(environment: Readonly<Record<string, string | undefined>>): boolean {
  return (
    endpoints.some((name) => environment[name]?.trim()) && !/^\s*true\s*$/i.test(environment.OTEL_SDK_DISABLED ?? "")
  );
}
