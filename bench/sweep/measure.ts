import { fileURLToPath } from "node:url";
import { functionEnvironment } from "../../build/functions/environment.mjs";
import type { Bundle } from "../budget/bundle.ts";
import { writeKubeconfig } from "../kubeconfig.ts";
import { type Figures, figuresOf } from "../process/figures.ts";
import { type Running, startListening } from "../process/program.ts";

/**
 * What was asked of a cluster: pages of lists, their bytes as JSON and as they were sent, and events sent to a broker.
 */
export interface Asked {
  readonly pages: number;
  readonly json: number;
  readonly bytes: number;
  readonly events: number;
}

/** What a tick cost in a cluster of so many claims. Processor time includes the start of the process. */
export interface Tick extends Asked, Figures {
  readonly claims: number;
  /** Milliseconds from the request to the answer. */
  readonly time: number;
}

/** Starts what stands in for clusters. */
export function startClusters(): Promise<Running> {
  return startListening({ args: [fileURLToPath(new URL("cluster-server.ts", import.meta.url))] });
}

/** One tick of the sweep, by a process of its own, in a cluster of so many claims. */
export async function measureTick({ entry }: Bundle, clusters: Running, claims: number): Promise<Tick> {
  const cluster = `http://127.0.0.1:${clusters.port}/${claims}`;
  const KUBECONFIG = writeKubeconfig(cluster);
  const SINK_HOSTS = `127.0.0.1:${clusters.port}`;
  const environment = { ...functionEnvironment, KUBECONFIG, SINK_HOSTS, RATE: "1000", LOG_LEVEL: "warn" };
  const sweep = await startListening({ args: [entry], environment });
  try {
    const began = performance.now();
    const response = await fetch(`http://127.0.0.1:${sweep.port}/`, { method: "POST" });
    const time = performance.now() - began;
    if (response.status !== 204) throw new Error(`204 was expected, not ${response.status}: ${await response.text()}`);
    const figures = figuresOf(sweep.pid);
    const asked = (await (await fetch(`${cluster}/asked`)).json()) as Asked;
    return { claims, time, ...figures, ...asked };
  } finally {
    await sweep.kill();
  }
}
