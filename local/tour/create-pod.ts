import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { TourWorld } from "./tour.ts";

/** Creates a pod as soon as its namespace takes one: not before its service account is there. */
export async function createPod(
  { client, clock, signal }: Pick<TourWorld, "client" | "clock" | "signal">,
  pod: KubernetesObject,
): Promise<void> {
  for (;;) {
    try {
      await client.create(Pod, pod);
      return;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 403)) throw error;
      await clock.sleep(100, signal);
    }
  }
}
