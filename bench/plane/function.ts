import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { tokenOf } from "../../test/harness/service-account.ts";
import { writeKubeconfig } from "../kubeconfig.ts";
import { ended } from "../process/ended.ts";
import type { Plane } from "./boot.ts";
import type { EventsOrder, EventsReport, PassedHop } from "./events-process.ts";

/** A function at work: its process, and another with the sources and the broker that feed it. */
export interface FunctionAtWork {
  /** Of the function. */
  readonly pid: number;
  /** Of the source and the broker. */
  readonly eventsPid: number;
  /** What the broker did so far, in its order; only where it was asked for. */
  readonly hops: readonly PassedHop[];
  stop(): Promise<void>;
}

/** How to start it. */
export interface FunctionOptions {
  /** As `<system>/<rule>`. */
  readonly name: string;
  /** The file that its process runs. */
  readonly entry: string;
  /** Ports at which the function and the sources reach the API server. */
  readonly ports: { readonly function: number; readonly sources: number };
  readonly finalizer?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly trace?: boolean;
}

const namespace = "holdfast";
/** Milliseconds until the sources must watch and the function must listen. */
const patience = 60_000;

/** Starts a function as the laptop edition does, under its own service account, and resolves when its sources watch. */
export async function startFunction({ admin, kubeconfig }: Plane, options: FunctionOptions): Promise<FunctionAtWork> {
  const { name, entry, ports, finalizer, environment = {}, trace = false } = options;
  const service = name.replace("/", "-");
  const signIn = async (account: string, port: number) =>
    writeKubeconfig(`https://127.0.0.1:${port}`, await tokenOf(admin, namespace, account));
  const order: EventsOrder = {
    service,
    entry,
    kubeconfig: await signIn(service, ports.function),
    sources: {
      "storage-source": await signIn("storage-source", ports.sources),
      "workloads-source": await signIn("workloads-source", ports.sources),
    },
    controller: kubeconfig,
    environment,
    trace,
    ...(finalizer ? { finalizer } : {}),
  };
  const child = fork(fileURLToPath(new URL("events-process.ts", import.meta.url)), [JSON.stringify(order)]);
  const hops: PassedHop[] = [];
  const started = Promise.withResolvers<number>();
  child.on("message", (report: EventsReport) => {
    if ("pid" in report) started.resolve(report.pid);
    else hops.push(report);
  });
  child.once("exit", (code) => started.reject(new Error(`The sources and the broker ended with exit code ${code}.`)));
  child.once("error", started.reject);
  const late = setTimeout(() => {
    child.kill("SIGKILL");
    started.reject(new Error(`${name} and its sources were not at work within ${patience / 1000} s.`));
  }, patience);
  const pid = await started.promise.finally(() => clearTimeout(late));
  return {
    pid,
    eventsPid: child.pid as number,
    hops,
    async stop() {
      // It ends when its parent no longer listens to it, however this process goes.
      if (child.connected) child.disconnect();
      await ended(child, "The process of the sources and the broker");
    },
  };
}
