import { keyOf } from "../../../eventing/watch/reflect.ts";
import { LinstorSatellite } from "../../../functions/satellite/lib/kinds.ts";
import type { Linstor } from "../../../functions/satellite/lib/linstor/client.ts";
import type { LinstorSatelliteObject } from "../../../functions/satellite/lib/satellite.ts";
import type { ControllerTools } from "../../../local/controllers/controller.ts";
import { startWorkQueue } from "../../../local/controllers/work-queue.ts";
import type { LinstorStandIn } from "../../../local/linstor/linstor.ts";

const port = 3366;
const pool = { "StorDriver/StorPoolName": "/srv/pool" };

/** Gives each LinstorSatellite a process on its node, and registers it in LINSTOR with a storage pool. */
export function startRegistrar(
  { clock, signal, reflections, trouble }: ControllerTools,
  { linstor, standIn, addressOf }: { linstor: Linstor; standIn: LinstorStandIn; addressOf: (node: string) => string },
): void {
  const satellites = reflections.of<LinstorSatelliteObject>(LinstorSatellite);
  const queue = startWorkQueue({
    clock,
    signal,
    ready: satellites.synced,
    async work(node) {
      const satellite = satellites.get(undefined, node);
      if (!satellite || satellite.metadata.deletionTimestamp) return;
      if (await linstor.nodes.get(node)) return;
      standIn.startSatellite(addressOf(node));
      await linstor.nodes.create(node, { name: "default", address: addressOf(node), port, encryption: "Plain" });
      await linstor.pools.create(node, "pool1", "FILE_THIN", pool);
    },
    failed: (subject, error) => trouble({ controller: "registrar", subject, error }),
  });
  satellites.on((change, satellite) => {
    if (change !== "delete") queue.add(keyOf(satellite));
  });
}
