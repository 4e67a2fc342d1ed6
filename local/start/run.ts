import { terminal } from "../../shared/terminal/terminal.ts";
import { beginTour, endTour } from "../tour/namespace.ts";
import { play } from "../tour/play.ts";
import { openTours } from "../tour/tours.ts";
import { endVolumeTour } from "../tour/volume/tour.ts";
import type { StartOptions } from "./options.ts";
import type { Session } from "./session.ts";
import { startCluster } from "./start-cluster.ts";

/** Plays what was asked for on a cluster, and stays until the session is to end. Returns the exit code. */
export async function run(options: StartOptions, session: Session): Promise<number> {
  const { signal } = session;
  const out = terminal(process.stdout);
  const cluster = await startCluster(options, session, out);
  let over = false;

  if (options.tour !== "none") {
    const world = { ...cluster, counts: cluster.activity.counts, signal };
    await beginTour(world);
    // A cluster of our own goes with everything on it.
    if (options.kubeconfig)
      session.onEnd(() => {
        if (!over) out.print("Taking away what the tour created ...");
        return endTour(world);
      });
    // What is on a node of a user is removed first, by functions that still run.
    if (options.salt && options.tours.includes("volume"))
      session.onEnd(() => {
        if (!over) out.print("Having the storage of the tour taken back ...");
        return over ? undefined : endVolumeTour(world);
      });
    over = await play(await openTours(options.tours, world), { ...cluster, terminal: out, signal });
    if (options.tour === "only" || !over) return over ? 0 : 1;
  }
  out.print(`\n${cluster.advice}\n`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  return 0;
}
