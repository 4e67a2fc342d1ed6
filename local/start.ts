import { complain } from "./command/complaint.ts";
import { terminal } from "./log/terminal.ts";
import { openStage } from "./start/open-stage.ts";
import { help, readOptions, type StartOptions } from "./start/options.ts";
import { inSession, type Session } from "./start/session.ts";
import { beginTour, endTour } from "./tour/namespace.ts";
import { play } from "./tour/play.ts";
import { openTours } from "./tour/tours.ts";

/** Answers the exit code. */
async function main(args: readonly string[]): Promise<number> {
  let options: StartOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    return complain(error);
  }
  if (options.help) {
    process.stdout.write(help);
    return 0;
  }
  return inSession(options.tour === "only" ? 130 : 0, (session) => run(options, session));
}

async function run(options: StartOptions, session: Session): Promise<number> {
  const { signal } = session;
  const out = terminal(process.stdout);
  const stage = await openStage(options, session, out);
  let over = false;

  if (options.tour !== "none") {
    const world = { ...stage, counts: stage.activity.counts, signal };
    await beginTour(world);
    // A cluster of our own goes with everything on it.
    if (options.kubeconfig)
      session.onEnd(() => {
        if (!over) out.print("Taking away what the tour created ...");
        return endTour(world);
      });
    over = await play(openTours(options.tours, world), { ...stage, terminal: out, signal });
    if (options.tour === "only" || !over) return over ? 0 : 1;
  }
  out.print(`\n${stage.advice}\n`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
