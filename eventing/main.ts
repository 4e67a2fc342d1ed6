// Sources and brokers for clusters without Knative, in one process: the image fn://platform/source of
// knative/overlays/no-knative.
import { randomInt } from "node:crypto";
import { systemClock } from "../shared/clock.ts";
import { createClient } from "../shared/kubernetes/client.ts";
import { kubeconfigTransport } from "../shared/kubernetes/kubeconfig-transport.ts";
import { createLog, readLogLevel } from "../shared/log.ts";
import { readSettings, SettingsError } from "../shared/settings.ts";
import { createFetchSend } from "./fetch-send.ts";
import { createHttp } from "./http.ts";
import { Unobeyable } from "./manifest/unobeyable.ts";
import { seededRandom } from "./random.ts";
import { readEventing } from "./read-eventing.ts";
import { standaloneSettings } from "./settings.ts";
import { startEventing } from "./start-eventing.ts";

/** Seconds: as often as the informers of Kubernetes at the earliest, because a connection may die unnoticed. */
const watchSeconds = 300;

/** Less than the Deployment's `terminationGracePeriodSeconds`, in milliseconds. */
const patience = 280_000;

function main(): void {
  const log = createLog(readLogLevel(process.env.LOG_LEVEL));
  const { eventing, ingress } = readSettings(standaloneSettings, process.env);
  const objects = readEventing(eventing);
  const transport = kubeconfigTransport();
  const ended = new AbortController();
  const clock = systemClock;
  const tools = {
    client: createClient(transport, { clock }),
    transport,
    clock,
    random: seededRandom(randomInt(2 ** 32)),
    signal: ended.signal,
    watchSeconds,
    server: "https://kubernetes.default.svc",
    send: createFetchSend().send,
  };
  const standalone = startEventing({ objects, ingress, tools, log });
  const server = createHttp(standalone);
  server.listen(Number(process.env.PORT || 8080), () => log.info({}, "Sources and brokers are at work."));

  // What has been taken is delivered before the end; events that are sent meanwhile are not taken any more.
  const leave = async () => {
    ended.abort(new Error("The process was asked to end."));
    server.close();
    server.closeIdleConnections();
    const lost = await standalone.drained(patience);
    if (lost > 0) log.warn({ lost }, `${lost} events are lost that waited in memory; the sweep makes up for them.`);
    process.exit(0);
  };
  process.once("SIGTERM", leave);
  process.once("SIGINT", leave);
}

try {
  main();
} catch (error) {
  if (!(error instanceof SettingsError || error instanceof Unobeyable)) throw error;
  createLog().error({}, error.message);
  process.exitCode = 1;
}
