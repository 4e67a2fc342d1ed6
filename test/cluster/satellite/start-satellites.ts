import { satelliteLabel } from "../../../functions/satellite/lib/kinds.ts";
import type { PodObject } from "../../../functions/satellite/lib/workload/running-pods.ts";
import type { ControllerTools } from "../../../local/controllers/controller.ts";
import type { LinstorStandIn } from "../../../local/linstor/linstor.ts";
import { Pod } from "../../../shared/kubernetes/kind.ts";

/** What runs in the pods of satellites: a process of LINSTOR's stand-in at each one's address. */
export function startSatellites({ reflections }: ControllerTools, linstor: LinstorStandIn): void {
  const running = new Set<string>();
  reflections.of<PodObject>(Pod).on((change, { metadata, status }) => {
    const { podIP, phase } = status ?? {};
    if (metadata.labels?.[satelliteLabel] === undefined || !podIP) return;
    const isUp = change !== "delete" && phase === "Running";
    if (isUp === running.has(podIP)) return;
    if (isUp) {
      running.add(podIP);
      linstor.startSatellite(podIP);
    } else {
      running.delete(podIP);
      linstor.stopSatellite(podIP);
    }
  });
}
