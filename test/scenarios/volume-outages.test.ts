import { describe, expect, onTestFinished, test } from "vitest";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import type { SaltStandIn } from "../../local/salt/salt.ts";
import { PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { claim } from "../harness/manifest.ts";
import { openCluster } from "../harness/open-cluster.ts";
import { explaining } from "./explained.ts";
import { holdOutageTable } from "./outage-table.ts";
import {
  createClass,
  createNode,
  createVolume,
  eventsOn,
  isGone,
  messageOf,
  reaches,
  swept,
  volumeOf,
} from "./volume/helpers.ts";
import { outages, rows } from "./volume/outages.ts";
import { standInTaken } from "./volume/settings.ts";

type Claim = KubernetesObject & { readonly status?: { readonly phase?: string } };

describe("while something is away that Volumes need", () => {
  const { open, prove } = explaining(openCluster);
  test.each(outages)(
    "$away: a claim is bound, what waits says so, and all comes to its end afterwards",
    async (outage) => {
      let salt: SaltStandIn | undefined;
      const cluster = await open(
        standInTaken((made) => {
          salt = made;
        }),
        { whenOver: onTestFinished },
      );
      const { admin, namespace } = cluster;
      await createNode(cluster);
      const storageClassName = await createClass(cluster);
      const kept = await createVolume(cluster, {}, "-kept");
      await reaches(cluster, kept, "Available");
      const going = await createVolume(cluster, { template: { metadata: { labels: { other: "yes" } } } }, "-going");
      await reaches(cluster, going, "Available");

      if (!salt) throw new Error("Salt was not started.");
      await outage.begin(cluster, salt);
      const made = await createVolume(cluster, {}, "-made");
      await admin.delete(Volume, undefined, going);
      const spec = { storageClassName, volumeName: kept, resources: { requests: { storage: "8Mi" } } };
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data" }, spec));
      await swept(cluster, "the claim is bound", async () => {
        const live = await admin.get<Claim>(PersistentVolumeClaim, namespace, "data");
        return live?.status?.phase === "Bound" ? true : undefined;
      });

      const { says } = outage;
      if (says) {
        const event = async () => (await eventsOn(cluster, made)).find((note) => note.startsWith(`${says.event}: `));
        await swept(cluster, `an Event ${says.event}`, event);
        expect(messageOf(await reaches(cluster, made, "Pending"))).toContain(says.words);
      }
      if (outage.makes) await reaches(cluster, made, "Available");
      if (outage.deletes) await isGone(cluster, going);
      else expect((await volumeOf(cluster, going))?.metadata.finalizers).toHaveLength(1);

      await outage.end(cluster, salt);
      await reaches(cluster, made, "Available");
      await isGone(cluster, going);
      await cluster.stop();
    },
  );

  prove();

  test("the README has the table of these scenarios", () => holdOutageTable("volume", rows));
});
