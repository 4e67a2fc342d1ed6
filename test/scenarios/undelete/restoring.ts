import { expect } from "vitest";
import { keepFor, offer, release, succeed } from "../../../cli/restore/actions.ts";
import { make } from "../../../cli/restore/change.ts";
import { findKept, getKept } from "../../../cli/restore/volumes.ts";
import { describeKept } from "../../../functions/undelete/lib/kept-volume.ts";
import { UserError } from "../../../shared/command/user-error.ts";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateVolume,
  boundVolume,
  createClaim,
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
const listed = async ({ admin, namespace }: World) => (await findKept(admin, namespace)).map(describeKept);

/** The time at which a volume is due is changed, and the functions have taken it in. */
const isDue = (world: World, volume: string, by: (next: string | undefined) => boolean) =>
  world.eventually("the functions know the time", async () => by(noteOn(await volumeOf(world, volume)).next));

/** `holdfast restore`: each word of it does what the page of undelete says of its annotations. */
export const restoring: readonly Scenario[] = [
  {
    title: "restore claim offers a volume that nothing was offered of, and the next claim of the name gets it",
    settings: [shipped],
    async run(world) {
      const { admin, namespace } = world;
      const volume = await keptClaim(world);
      expect(await listed(world)).toEqual([]);
      await annotateVolume(world, volume, { [offerKey]: "no" });
      await deleteClaim(world);
      await isNoted(world, volume, "kept");
      // Our note may come before Kubernetes' own word.
      await isPhase(world, volume, "Released");
      expect(await listed(world)).toEqual([
        expect.stringMatching(
          `^Volume ${volume} is kept for claim ${namespace}/data, and not offered. It is reclaimed`,
        ),
      ]);
      const plan = await offer(admin, namespace, "data");
      expect(plan.next).toMatch(/^Create claim .*\/data again with at most 1Gi, accessModes \["ReadWriteOnce"\]/);
      await make(admin, plan.changes[0]!);
      await isOffered(world, volume);
      await createClaim(world);
      expect(await boundVolume(world)).toBe(volume);
      await expect(offer(admin, namespace, "data")).rejects.toThrow("No volume is kept of claim");
    },
  },
  {
    title: "restore keep moves the time of a volume or takes it off, and release hands it back",
    settings: [shipped],
    alone: true,
    within: true,
    async run(world) {
      const { admin, clock } = world;
      const volume = await offeredVolume(world);
      await make(admin, (await keepFor(admin, `pv/${volume}`, "7d", clock.now())).changes[0]!);
      await isDue(world, volume, (next) => Date.parse(next ?? "") > clock.now() + 6 * 86_400_000);
      await make(admin, (await keepFor(admin, volume, "ever", clock.now())).changes[0]!);
      await isDue(world, volume, (next) => next === undefined);
      expect(await listed(world)).toEqual([expect.stringContaining("It has no time")]);
      await expect(keepFor(admin, volume, "soon", clock.now())).rejects.toThrow("--for 7d");
      const plan = await release(admin, volume, clock.now());
      expect([plan.deletes, plan.does]).toEqual([
        true,
        expect.stringContaining("Kubernetes then reclaims it (Delete)"),
      ]);
      await make(admin, plan.changes[0]!);
      await isDue(world, volume, (next) => Date.parse(next ?? "") <= clock.now());
      await world.sweep();
      await volumeIsGone(world, volume);
    },
  },
  {
    title: "restore namespace gives a namespace that came back the volumes of the former one",
    settings: [shipped],
    async run(world) {
      const { admin, namespace } = world;
      const volume = await keptClaim(world);
      await deleteNamespace(world);
      await isNoted(world, volume, "asks");
      await isPhase(world, volume, "Released");
      await expect(succeed(admin, namespace)).rejects.toThrow(`There is no namespace ${namespace}. Create it`);
      await createNamespace(world);
      for (const change of (await succeed(admin, namespace)).changes) await make(admin, change);
      await isOffered(world, volume);
    },
  },
  {
    title: "restore changes nothing of a volume that is bound, unknown, or other than it was read",
    settings: [shipped],
    async run(world) {
      const { admin, clock } = world;
      const bound = await keptClaim(world, { name: "bound" });
      await expect(getKept(admin, bound)).rejects.toThrow(`Volume ${bound} is in use by claim`);
      await expect(getKept(admin, "nope")).rejects.toThrow("There is no volume nope.");
      const volume = await offeredVolume(world);
      const plan = await release(admin, volume, clock.now());
      await annotateVolume(world, volume, { "example.org/seen": "yes" });
      await expect(make(admin, plan.changes[0]!)).rejects.toThrow(UserError);
      expect((await volumeOf(world, volume)).metadata.annotations?.[reclaimAtKey]).not.toBe(
        plan.changes[0]!.annotations[reclaimAtKey],
      );
    },
  },
];
