import type { Random } from "../../../eventing/random.ts";
import { PersistentVolume } from "../../harness/kinds.ts";
import { streamsOf } from "../../harness/simulated/streams.ts";
import type { Truth } from "../invariants/invariant.ts";
import { type Lane, patiently, type Sequence, type Step, sequenceOf } from "../sequence.ts";
import { claimIsBound, claimIsGone, type User } from "../user.ts";
import { shipped } from "./settings.ts";
import { keepKey, noteOf, reclaimAtKey, type VolumeLike, volumesOf } from "./volumes.ts";

const volumeOf = async (user: User, claim: string) =>
  ((await user.list(PersistentVolume)) as readonly VolumeLike[]).find(({ spec }) => spec.claimRef?.name === claim);

const isNoted = (claim: string, step: string) => async (user: User) => {
  const volume = await volumeOf(user, claim);
  return volume !== undefined && noteOf(volume)?.step === step;
};

/** A user with one claim, which is deleted, and has its volume back, or lets it go. */
function laneOfVolume(name: string, random: Random): Lane {
  const steps: Step[] = [];
  const create: Step[] = [
    (user) => user.createClaim(name, { annotations: { [keepKey]: "24h" } }),
    (user) => patiently(user, claimIsBound(name)),
    (user) => patiently(user, isNoted(name, "retained")),
  ];
  const remove: Step[] = [
    (user) => user.deleteClaim(name),
    (user) => patiently(user, claimIsGone(name)),
    (user) => patiently(user, isNoted(name, "offered")),
  ];
  const expire: Step[] = [
    async (user) => {
      const { name: volume = "" } = (await volumeOf(user, name))?.metadata ?? {};
      const patch = { metadata: { annotations: { [reclaimAtKey]: "2020-01-01T00:00:00Z" } } };
      await user.attempt(`lets volume ${volume} go`, (client) =>
        client.patch(PersistentVolume, undefined, volume, "merge", patch),
      );
    },
    (user) => patiently(user, async () => (await volumeOf(user, name)) === undefined),
  ];
  for (let round = 1 + random.below(2); round >= 0; round--) {
    steps.push(...create);
    if (round === 0 && random.below(2) === 0) break;
    steps.push(...remove);
    if (random.below(3) === 0) steps.push(...expire);
  }
  return { name: `claim ${name}`, needs: [`persistentvolumeclaims/${name}`], steps };
}

/** Three users, each with a claim whose volume is kept. */
export function sequence(number: number): Sequence {
  const random = streamsOf(number)("sequence of undelete");
  const lanes = ["a", "b", "c"].map((name) => laneOfVolume(name, random));
  const controllers = ["persistentvolume-protection-controller"];
  return sequenceOf({ system: "undelete", setting: shipped, controllers, lanes }, random);
}

/** Volumes, each with how many there have been for its claim. */
export const end = (truth: Truth): readonly string[] =>
  volumesOf(truth)
    .map((volume) => {
      const { claimRef, persistentVolumeReclaimPolicy: policy } = volume.spec;
      const made = truth.changes.filter(
        ({ object, before }) => !before && (object as VolumeLike).spec?.claimRef?.name === claimRef?.name,
      );
      const phase = volume.status?.phase;
      return `volume ${made.length} of ${claimRef?.name} is ${phase} and ${noteOf(volume)?.step}, under ${policy}`;
    })
    .toSorted();
