import { expect } from "vitest";
import { keepFor, offer, release, succeed } from "../../../cli/restore/actions.ts";
import { make } from "../../../cli/restore/change.ts";
import { findKept, getKept } from "../../../cli/restore/volumes.ts";
import { describeKept } from "../../../functions/undelete/lib/kept-volume.ts";
import { UserError } from "../../../shared/command/user-error.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { PersistentVolume } from "../../harness/kinds.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateVolume,
  bindClaim,
  createNamespace,
  deleteClaim,
  deleteNamespace,
  isNoted,
  isOffered,
  isPhase,
  keptClaim,
  noteOn,
  offeredVolume,
  offerKey,
  reclaimAtKey,
  volumeIsGone,
  volumeOf,
} from "./helpers.ts";
import { shipped } from "./settings.ts";

/** What `holdfast restore list` says of the scenario's namespace. */
const listed = async ({ admin, namespace, clock }: Cluster) =>
  (await findKept(admin, namespace)).map((one) => describeKept(one, clock.now()));

/** The time at which a volume is due is changed, and the functions have taken it in. */
const isDue = (cluster: Cluster, volume: string, by: (next: string | undefined) => boolean) =>
  cluster.eventually("the functions know the time", async () => by(noteOn(await volumeOf(cluster, volume)).next));

/** `holdfast restore`: each word of it does what the page of undelete says of its annotations. */
export const restoring: readonly Scenario[] = [
  {
    title: "restore claim offers a volume that was not offered, and the next claim of the name gets it",
    settings: [shipped],
    async run(cluster) {
      const { admin, namespace } = cluster;
      const volume = await keptClaim(cluster);
      expect(await listed(cluster)).toEqual([]);
      await annotateVolume(cluster, volume, { [offerKey]: "no" });
      await deleteClaim(cluster);
      await isNoted(cluster, volume, "kept");
      // Our note may come before Kubernetes' own word.
      await isPhase(cluster, volume, "Released");
      expect(await listed(cluster)).toEqual([
        expect.stringMatching(
          `^Volume ${volume} is kept for claim ${namespace}/data, and not offered. It is reclaimed`,
        ),
      ]);
      const plan = await offer(admin, namespace, "data");
      expect(plan.next).toMatch(/^Create claim .*\/data again with at most 1Gi, accessModes \["ReadWriteOnce"\]/);
      await make(admin, plan.changes[0]!);
      await isOffered(cluster, volume);
      expect(await bindClaim(cluster)).toBe(volume);
      await expect(offer(admin, namespace, "data")).rejects.toThrow("No volume is kept of claim");
    },
  },
  {
    title: "restore keep changes or removes the time of a volume, and restore release has it reclaimed",
    settings: [shipped],
    alone: true,
    within: true,
    async run(cluster) {
      const { admin, clock } = cluster;
      const volume = await offeredVolume(cluster);
      await make(admin, (await keepFor(admin, `pv/${volume}`, "7d", clock.now())).changes[0]!);
      await isDue(cluster, volume, (next) => Date.parse(next ?? "") > clock.now() + 6 * 86_400_000);
      await make(admin, (await keepFor(admin, volume, "ever", clock.now())).changes[0]!);
      await isDue(cluster, volume, (next) => next === undefined);
      expect(await listed(cluster)).toEqual([expect.stringContaining("It has no time")]);
      await expect(keepFor(admin, volume, "soon", clock.now())).rejects.toThrow("--for 7d");
      const plan = await release(admin, volume, clock.now());
      expect([plan.deletes, plan.does]).toEqual([
        true,
        expect.stringContaining("Kubernetes then reclaims it (Delete)"),
      ]);
      await make(admin, plan.changes[0]!);
      await isDue(cluster, volume, (next) => Date.parse(next ?? "") <= clock.now());
      await cluster.sweep();
      await volumeIsGone(cluster, volume);
    },
  },
  {
    title: "restore namespace gives a namespace that came back the volumes of the former one",
    settings: [shipped],
    async run(cluster) {
      const { admin, namespace } = cluster;
      const volume = await keptClaim(cluster);
      await deleteNamespace(cluster);
      await isNoted(cluster, volume, "asks");
      await isPhase(cluster, volume, "Released");
      await expect(succeed(admin, namespace)).rejects.toThrow(`There is no namespace ${namespace}. Create it`);
      await createNamespace(cluster);
      for (const change of (await succeed(admin, namespace)).changes) await make(admin, change);
      await isOffered(cluster, volume);
    },
  },
  {
    title: "restore namespace offers the latest volume of a claim, and does not replace it when it is run again",
    settings: [shipped],
    async run(cluster) {
      const { admin, namespace } = cluster;
      const older = await offeredVolume(cluster);
      await annotateVolume(cluster, older, { [offerKey]: "no" });
      await isNoted(cluster, older, "kept");
      const later = await keptClaim(cluster);
      await annotateVolume(cluster, older, { [offerKey]: null });
      await deleteNamespace(cluster);
      for (const volume of [older, later]) await isNoted(cluster, volume, "asks");
      await createNamespace(cluster);
      const { changes } = await succeed(admin, namespace);
      expect(changes.map(({ object }) => object.metadata.name)).toEqual([later]);
      for (const change of changes) await make(admin, change);
      await isOffered(cluster, later);
      await expect(succeed(admin, namespace)).rejects.toThrow("No volume waits");
      await cluster.admin.delete(PersistentVolume, undefined, older);
    },
  },
  {
    title: "restore does not change a volume that is bound, unknown, or changed since it was read",
    settings: [shipped],
    async run(cluster) {
      const { admin, clock } = cluster;
      const bound = await keptClaim(cluster, { name: "bound" });
      await expect(getKept(admin, bound)).rejects.toThrow(`Volume ${bound} is in use by claim`);
      await expect(getKept(admin, "nope")).rejects.toThrow("There is no volume nope.");
      const volume = await offeredVolume(cluster);
      const plan = await release(admin, volume, clock.now());
      await annotateVolume(cluster, volume, { "example.org/seen": "yes" });
      await expect(make(admin, plan.changes[0]!)).rejects.toThrow(UserError);
      expect((await volumeOf(cluster, volume)).metadata.annotations?.[reclaimAtKey]).not.toBe(
        plan.changes[0]!.annotations[reclaimAtKey],
      );
    },
  },
];
