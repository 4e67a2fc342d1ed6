import type { Terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import type { RunningCluster } from "../cluster/running-cluster.ts";
import { startTraces } from "../traces/start-traces.ts";
import { type Activity, createActivity } from "./activity.ts";
import { startLaptop } from "./laptop.ts";
import { type Bundles, createBundles } from "./launch.ts";
import { startOnCluster } from "./on-cluster.ts";
import type { StartOptions } from "./options.ts";
import type { Session } from "./session.ts";

/** A cluster with what is to be seen on it. */
export interface StartedCluster extends RunningCluster {
  readonly activity: Activity;
  readonly bundles: Bundles;
}

/** Sets the functions to work, on a cluster of our own or on a user's. */
export async function startCluster(options: StartOptions, session: Session, out: Terminal): Promise<StartedCluster> {
  const bundles = createBundles(session.folder, (line) => out.print(out.paint("dim", wrap(line, 2, out.width))));
  const { kubeconfig } = options;
  const traces = options.trace && (await startTraces(out));
  if (traces) session.onEnd(traces.close);
  const activity = { ...createActivity(out), ...(traces ? { beginSpan: traces.beginSpan } : {}) };
  const launching = traces ? withTraces(bundles, traces.environment) : bundles;
  const cluster = kubeconfig
    ? await startOnCluster(kubeconfig, options, session, out, activity, launching)
    : await startLaptop(options, session, out, activity, launching);
  return { ...cluster, activity, bundles };
}

/** Functions that send their traces to this process, which prints them until the session ends. */
const withTraces = (bundles: Bundles, environment: Readonly<Record<string, string>>): Bundles => ({
  ...bundles,
  launch: (plan, name, given) => bundles.launch(plan, name, { ...environment, ...given }),
});
