import type { Backend } from "./backend.ts";
import type { Setting } from "./cluster.ts";
import { restFor, startMissing } from "./environment.ts";
import { install, readInstallation } from "./installation.ts";
import { benchOn } from "./open-namespace.ts";
import { startProgram } from "./program.ts";
import { realServer } from "./real-server.ts";
import { rest } from "./rest.ts";
import { createSharedSwitch } from "./shared-switch.ts";
import { policyInForce } from "./start-holdfast.ts";

/** On which cluster `npm start` is to work. */
export interface ProcessOptions {
  /** A real one; without it the program brings its own. */
  readonly kubeconfig?: string;
  /** See {@link startMissing}. */
  readonly missing: readonly string[];
  /** See {@link Server}. */
  readonly throwaway: boolean;
  /** Whether no source of changes runs. */
  readonly bySweepsAlone: boolean;
}

/**
 * Clusters in which everything is as `npm start` runs it: the functions' real bundles as processes that come and go, on
 * real time. What looks into functions, or stands in their way, is refused; the only setting is the default one, and
 * the same by sweeps alone, every other second.
 */
export async function processBackend(
  setting: Setting,
  { kubeconfig, missing, throwaway, bySweepsAlone }: ProcessOptions,
): Promise<Backend> {
  const start = () =>
    startProgram([
      "--no-tour",
      ...(kubeconfig ? ["--kubeconfig", kubeconfig, "--yes"] : []),
      ...(bySweepsAlone ? ["--lose-all-events"] : []),
    ]);
  let program = await start();
  const server = realServer(kubeconfig ?? /KUBECONFIG=(\S+)/.exec(program.said())?.[1] ?? "", { throwaway });
  const leave = await startMissing(server, missing);
  // What the functions themselves need is there; the policy is for the administrator to add.
  const { objects } = readInstallation(setting);
  const uninstall = await install(server.admin, objects);
  await policyInForce(server);

  const refuse = () => {
    throw new Error("The functions are processes: nothing of them can be seen or disturbed.");
  };
  const unseen = new Proxy([], { get: refuse });
  const functions = createSharedSwitch(async (areThere) => {
    if (!kubeconfig) throw new Error("The laptop edition's cluster goes with its functions.");
    if (areThere) program = await start();
    else await program.kill();
  });
  return {
    async open(setting, { whenOver }) {
      whenOver(functions.end);
      await functions.begin();
      const bench = await benchOn(server, whenOver, { isSwept: bySweepsAlone });
      return {
        ...bench,
        setting,
        said: unseen,
        calls: unseen,
        deliveries: unseen,
        // The API server knows what was denied, and the functions' logs; neither is looked at here.
        asked: [],
        intercept: refuse,
        fate: refuse,
        absent: async () => {
          await functions.want(false);
          return () => functions.want(true);
        },
        instance: refuse,
        sweep: refuse,
        rest: () => rest(server.admin, restFor),
      };
    },
    async stop() {
      await uninstall();
      if (kubeconfig) await policyInForce(server, false);
      await leave();
      await server.stop();
      // The last scenario may have left them out.
      await functions.begin();
      await program.stop();
    },
  };
}
