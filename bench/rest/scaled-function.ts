import type { Plan } from "../../local/serving/plan.ts";
import type { FunctionPods } from "../../local/serving/pods.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Handler } from "../../test/harness/functions.ts";

/**
 * Milliseconds of each life of a pod that are neither a request nor the idle window: the cold start, and until the
 * autoscaler has seen that the window is over. On Knative 1.22 the sweep's pod lived for 12 s with a window of 10 s
 * before it was deleted.
 */
const overhead = 2_000;
/** Milliseconds for which queue-proxy waits for stray requests once the pod is deleted, before anything in it ends. */
const drain = 30_000;

/** What a function has cost. */
export interface Life {
  /** How often it came from zero. */
  wakes: number;
  /** Milliseconds that its pods were there, those that ended. */
  pods: number;
}

/**
 * A function that Knative Serving scales from zero and back, on a virtual clock, with a Pod object of its own while it
 * is there: one instance, which goes after its window without a request.
 */
export function scaledFunction(
  plan: Plan,
  start: () => Handler,
  { clock, pods }: { clock: Clock; pods: FunctionPods },
  life: Life,
): Handler {
  let instance: { readonly handle: Handler; readonly ready: Promise<void>; retire(): void } | undefined;
  let busy = 0;
  let callOff = () => {};

  function begin(): NonNullable<typeof instance> {
    life.wakes++;
    const began = clock.now();
    const end = pods.begin(plan, `${plan.service}-00001`);
    return {
      handle: start(),
      ready: clock.sleep(overhead),
      retire: () =>
        void clock.after(drain, () => {
          life.pods += clock.now() - began;
          end();
        }),
    };
  }

  return async (request) => {
    callOff();
    instance ??= begin();
    const { handle, ready, retire } = instance;
    busy++;
    try {
      await ready;
      return await handle(request);
    } finally {
      if (--busy === 0)
        callOff = clock.after(plan.scale.window, () => {
          instance = undefined;
          retire();
        });
    }
  };
}
