import { type Clock, systemClock } from "../../shared/clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import type { ControllerTools, Trouble } from "../controllers/controller.ts";
import { createRecorder } from "../controllers/recorder.ts";
import type { Random } from "../time/random.ts";
import { shareReflections } from "../watch/reflections.ts";

/** What controllers of this program are given on an API server that `transport` reaches as an administrator. */
export function controllerTools(
  transport: Transport,
  random: Random,
  signal: AbortSignal,
  trouble: (trouble: Trouble) => void,
): ControllerTools {
  const clock: Clock = systemClock;
  const client = createClient(transport, { clock });
  const follow = { client, transport, clock, random, signal };
  const failed = (controller: string, subject: string) => (error: unknown) => trouble({ controller, subject, error });
  return {
    ...follow,
    trouble,
    reflections: shareReflections(follow, { failed: failed("reflections", "watch") }),
    record: createRecorder(follow, failed("recorder", "event")),
  };
}
