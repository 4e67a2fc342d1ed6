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
  createNodeAndClass,
  createVolume,
  eventsOn,
  isGone,
  messageOf,
  minion,
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
      const storageClassName = await createNodeAndClass(cluster);
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

  test("salt-api comes and goes, and a minion is away: Volumes say so in few writes, and then go on", async () => {
    let salt: SaltStandIn | undefined;
    const setting = standInTaken((made) => {
      salt = made;
    });
    const cluster = await open(setting, { whenOver: onTestFinished });
    await createNodeAndClass(cluster);
    const going = await createVolume(cluster, {}, "-going");
    await reaches(cluster, going, "Available");
    salt?.stop(minion);
    const made = await createVolume(cluster, {}, "-made");
    await cluster.admin.delete(Volume, undefined, going);
    const writes = new Map([made, going].map((name) => [name, 0]));
    cluster.intercept(async ({ request: { method, path } }, send) => {
      const name = /\/volumes\/([^/?]+)/.exec(path)?.[1] ?? "";
      if (method === "PATCH" && writes.has(name)) writes.set(name, (writes.get(name) ?? 0) + 1);
      return send();
    }, "everywhere");
    let isFlapping = true;
    const flap = async () => {
      while (isFlapping) {
        salt?.stop("api");
        await cluster.clock.sleep(3_000);
        // It takes two seconds to start.
        salt?.start("api");
        await cluster.clock.sleep(8_000);
      }
    };
    void flap();
    const said: string[] = [];
    for (let minute = 0; minute < 20; minute++) {
      await cluster.sweep();
      for (let half = 0; half < 2; half++) await cluster.rest();
      const volume = await volumeOf(cluster, made);
      said.push(volume ? messageOf(volume) : "");
    }
    isFlapping = false;
    expect(said.some((message) => message.includes("Salt could not be asked"))).toBe(true);
    expect(said.every((message) => message.includes("It has been so since"))).toBe(true);
    for (const [name, count] of writes) {
      expect(count, name).toBeGreaterThan(0);
      expect(count, name).toBeLessThan(60);
    }
    salt?.start("api");
    salt?.start(minion);
    const back = cluster.clock.now();
    await reaches(cluster, made, "Available");
    await isGone(cluster, going);
    expect(cluster.clock.now() - back).toBeLessThan(300_000);
    await cluster.stop();
  });

  prove();

  test("the README has the table of these scenarios", () => holdOutageTable("volume", rows, ["Salt"]));
});
