import type { Random } from "../../../eventing/random.ts";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { claim } from "../../harness/manifest.ts";
import { streamsOf } from "../../harness/simulated/streams.ts";
import type { Truth } from "../invariants/invariant.ts";
import { type Lane, patiently, type Sequence, type Step, sequenceOf } from "../sequence.ts";
import { claimIsGone, podIs, podIsGone } from "../user.ts";
import { minion, otherMinion } from "./salt.ts";
import { createClass, createVolume, deleteVolume, hasFailed, isGone, isMade } from "./scenarios.ts";
import { volumes } from "./settings.ts";
import { publishedOf, readyOf, storageOf, volumesOf } from "./volumes.ts";

const impossible = "impossible";

/** A user with one Volume, which is made, or cannot be, is used, and goes. */
function laneOfVolume(name: string, node: string, random: Random): Lane {
  const steps: Step[] = [];
  for (let round = 1 + random.below(2); round >= 0; round--) {
    const cannot = random.below(4) === 0;
    const storageClass = cannot ? impossible : name;
    steps.push((user) => createVolume(user, name, storageClass, node));
    // Some are deleted while they are made.
    const isAwaited = round === 0 || random.below(4) > 0;
    if (isAwaited) steps.push((user) => patiently(user, cannot ? hasFailed(name) : isMade(name)));
    // Only one Node has a kubelet.
    const isUsed = isAwaited && !cannot && node === minion && random.below(2) === 0;
    if (isUsed) {
      const spec = { storageClassName: storageClass, resources: { requests: { storage: "1Gi" } } };
      steps.push((user) =>
        user.attempt(`creates claim ${name}`, (client, namespace) =>
          client.create(PersistentVolumeClaim, claim({ namespace, name }, spec)),
        ),
      );
      steps.push((user) => user.createPod(`user-of-${name}`, [name]));
      steps.push((user) => patiently(user, podIs(`user-of-${name}`, "Running")));
    }
    if (round === 0 && random.below(2) === 0) break;
    steps.push((user) => deleteVolume(user, name));
    if (isUsed) {
      steps.push((user) => user.deletePod(`user-of-${name}`));
      steps.push((user) => patiently(user, podIsGone(`user-of-${name}`)));
      steps.push((user) => user.deleteClaim(name));
      steps.push((user) => patiently(user, claimIsGone(name)));
    }
    steps.push((user) => patiently(user, isGone(name)));
  }
  return { name: `Volume ${name} of ${node}`, needs: ["salt", node, `volumes/${name}`], steps };
}

/** Four users, each with a Volume, two on each node. */
export function sequence(number: number): Sequence {
  const random = streamsOf(number)("sequence of volume");
  const names = ["a", "b", "c", "d"];
  const lanes = names.map((name, index) => laneOfVolume(name, index % 2 === 0 ? minion : otherMinion, random));
  return sequenceOf(
    {
      system: "volume",
      external: "salt",
      setting: volumes,
      controllers: ["persistentvolume-protection-controller"],
      lanes,
      async prepare(user) {
        await createClass(user, "btrfs", impossible);
        for (const name of names) await createClass(user, "ext4", name);
      },
    },
    random,
  );
}

/** Volumes, with what is published of them, and what lies on nodes. */
export function end(truth: Truth): readonly string[] {
  const all = volumesOf(truth);
  const made = all.map((volume) => {
    const { status = "unknown", reason = "" } = readyOf(volume) ?? {};
    const published = publishedOf(truth, volume)?.status?.phase ?? "not published";
    const deleted = volume.metadata.deletionTimestamp ? ", being deleted" : "";
    return `Volume ${volume.metadata.name} is Ready ${status} ${reason}, ${published}${deleted}`;
  });
  const nameOf = (uid: string) => all.find(({ metadata }) => metadata.uid === uid)?.metadata.name ?? "a former Volume";
  const files = [...storageOf(truth).files.keys()].map((uid) => `a node has storage of ${nameOf(uid)}`);
  return [...made, ...files].toSorted();
}
