import type { Random } from "../../eventing/random.ts";
import type { Clock } from "../../shared/clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import type { ControllerTools, Trouble } from "./controller.ts";
import { createRecorder } from "./recorder.ts";
import { shareReflections } from "./reflections.ts";

export interface ToolsOptions {
  /** To the API server, as an account that may do all that the controllers do. */
  transport: Transport;
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  /** Called with every failure; controllers retry by themselves. */
  trouble?(trouble: Trouble): void;
  /** As in {@link FollowTools}. */
  watchSeconds?: number | undefined;
}

/** Makes what controllers are given. Those that share it share their watches too. */
export function createControllerTools(options: ToolsOptions): ControllerTools {
  const { transport, clock, random, signal, watchSeconds, trouble = () => {} } = options;
  const client = createClient(transport, { clock });
  const follow = { client, transport, clock, random, signal, ...(watchSeconds ? { watchSeconds } : {}) };
  const failed = (controller: string, subject: string) => (error: unknown) => trouble({ controller, subject, error });
  return {
    ...follow,
    trouble,
    reflections: shareReflections(follow, { failed: failed("reflections", "watch") }),
    record: createRecorder(follow, failed("recorder", "event")),
  };
}
