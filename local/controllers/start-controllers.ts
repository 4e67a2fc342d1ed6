import type { Clock } from "../../shared/clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import type { Random } from "../time/random.ts";
import { shareReflections } from "../watch/reflections.ts";
import { startClaimProtection } from "./claim-protection/start-claim-protection.ts";
import type { ControllerTools, Running, Trouble } from "./controller.ts";
import { type Everything, followEverything } from "./discovery/everything.ts";
import { startGarbageCollector } from "./garbage-collector/start-garbage-collector.ts";
import { createRecorder } from "./recorder.ts";
import { startVolumeProtection } from "./start-volume-protection.ts";
import { startVolumeBinder } from "./volume-binder/start-volume-binder.ts";

export interface ControllersOptions {
  /** To the API server, as an administrator. */
  transport: Transport;
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  /** As kube-controller-manager's `--controllers`: `*` for all, a name for one, `-name` for all but one. All by default. */
  controllers?: readonly string[];
  /** Told of every failure; controllers retry by themselves. */
  trouble?(trouble: Trouble): void;
  /** Seconds after which watches are renewed; the server's own limit when absent. */
  watchSeconds?: number;
}

type Starter = (tools: ControllerTools & { readonly everything: Everything }, options: ControllersOptions) => Running;

/** Every controller by the name kube-controller-manager gives it. */
const starters: { readonly [name: string]: Starter } = {
  "garbage-collector-controller": startGarbageCollector,
  "persistentvolume-binder-controller": startVolumeBinder,
  "persistentvolume-protection-controller": startVolumeProtection,
  "persistentvolumeclaim-protection-controller": startClaimProtection,
};

/** Starts the chosen controllers; they end with the signal. Rejects a name that is not known. */
export function startControllers(options: ControllersOptions): Running {
  const { transport, clock, random, signal, watchSeconds, trouble = () => {} } = options;
  const client = createClient(transport, { clock });
  const follow = { client, transport, clock, random, signal };
  let everything: Everything | undefined;
  const tools = {
    ...follow,
    trouble,
    reflections: shareReflections(follow, {
      failed: (error) => trouble({ controller: "reflections", subject: "watch", error }),
      ...(watchSeconds ? { watchSeconds } : {}),
    }),
    record: createRecorder(follow, (error) => trouble({ controller: "recorder", subject: "event", error })),
    // Every kind there is is followed only when a controller asks for it.
    get everything() {
      everything ??= followEverything(tools);
      return everything;
    },
  };
  const running = chosen(options.controllers ?? ["*"]).map((start) => start(tools, options));
  return { synced: Promise.all(running.map(({ synced }) => synced)) };
}

function chosen(controllers: readonly string[]): Starter[] {
  const unknown = controllers.find((word) => word !== "*" && !(word.replace(/^-/, "") in starters));
  if (unknown) throw new Error(`No controller is called ${unknown}. There are ${Object.keys(starters).join(", ")}.`);
  return Object.entries(starters)
    .filter(([name]) => !controllers.includes(`-${name}`) && (controllers.includes(name) || controllers.includes("*")))
    .map(([, start]) => start);
}
