import { keyOf } from "../../../eventing/watch/reflect.ts";
import { LinstorSatellite } from "../../../functions/satellite/lib/kinds.ts";
import type { Linstor } from "../../../functions/satellite/lib/linstor/client.ts";
import { conditionWrites, type LinstorSatelliteObject } from "../../../functions/satellite/lib/satellite.ts";
import type { ControllerTools } from "../../../local/controllers/controller.ts";
import { startWorkQueue } from "../../../local/controllers/work-queue.ts";
import type { LinstorStandIn } from "../../../local/linstor/linstor.ts";

const port = 3366;
const pool = { "StorDriver/StorPoolName": "/srv/pool" };

/**
 * What becomes of a LinstorSatellite before it leaves: a process on its node, registered in LINSTOR with a storage pool, and the
 * condition Configured.
 */
export function startRegistrar(
  { client, clock, signal, reflections, trouble }: ControllerTools,
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
      const { generation } = satellite.metadata;
      const old = satellite.status?.conditions?.find(({ type }) => type === "Configured");
      if (old?.observedGeneration === generation) return;
      if (!(await linstor.nodes.get(node))) {
        standIn.startSatellite(addressOf(node));
        await linstor.nodes.create(node, { name: "default", address: addressOf(node), port, encryption: "Plain" });
        await linstor.pools.create(node, "pool1", "FILE_THIN", pool);
      }
      const configured = { type: "Configured", status: "True", reason: "AsExpected", message: "" } as const;
      // A new generation is reported anew, although the condition says the same.
      const status = { conditions: satellite.status?.conditions?.filter((one) => one !== old) ?? [] };
      for (const write of conditionWrites({ ...satellite, status }, [configured], clock.now()))
        if (write.verb === "patch")
          await client.patch(LinstorSatellite, undefined, node, write.type, write.patch, write.options);
    },
    failed: (subject, error) => trouble({ controller: "registrar", subject, error }),
  });
  satellites.on((change, satellite) => {
    if (change !== "delete") queue.add(keyOf(satellite));
  });
}
