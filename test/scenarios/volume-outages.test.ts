import { describe, expect, test } from "vitest";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import type { SaltStandIn } from "../../local/salt/salt.ts";
import { PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import { claim } from "../worlds/manifest.ts";
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
  test.each(outages)(
    "$away: a claim is bound, what waits says so, and all comes to its end afterwards",
    async (outage) => {
      let salt: SaltStandIn | undefined;
      const world = await emulatedWorld(
        standInTaken((made) => {
          salt = made;
        }),
      );
      const { admin, namespace } = world;
      await createNode(world);
      const storageClassName = await createClass(world);
      const kept = await createVolume(world, {}, "-kept");
      await reaches(world, kept, "Available");
      const going = await createVolume(world, { template: { metadata: { labels: { other: "yes" } } } }, "-going");
      await reaches(world, going, "Available");

      if (!salt) throw new Error("Salt was not started.");
      await outage.begin(world, salt);
      const made = await createVolume(world, {}, "-made");
      await admin.delete(Volume, undefined, going);
      const spec = { storageClassName, volumeName: kept, resources: { requests: { storage: "8Mi" } } };
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data" }, spec));
      await swept(world, "the claim is bound", async () => {
        const live = await admin.get<Claim>(PersistentVolumeClaim, namespace, "data");
        return live?.status?.phase === "Bound" ? true : undefined;
      });

      const { says } = outage;
      if (says) {
        const event = async () => (await eventsOn(world, made)).find((note) => note.startsWith(`${says.event}: `));
        await swept(world, `an Event ${says.event}`, event);
        expect(messageOf(await reaches(world, made, "Pending"))).toContain(says.words);
      }
      if (outage.makes) await reaches(world, made, "Available");
      if (outage.deletes) await isGone(world, going);
      else expect((await volumeOf(world, going))?.metadata.finalizers).toHaveLength(1);

      await outage.end(world, salt);
      await reaches(world, made, "Available");
      await isGone(world, going);
      await world.stop();
    },
  );

  test("the README has the table of these scenarios", () => holdOutageTable("volume", rows));
});
