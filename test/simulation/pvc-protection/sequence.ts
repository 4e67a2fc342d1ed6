import type { Random } from "../../../eventing/random.ts";
import { streamsOf } from "../../harness/simulated/streams.ts";
import type { Truth } from "../invariants/invariant.ts";
import { type Lane, patiently, type Sequence, type Step, sequenceOf } from "../sequence.ts";
import { claimIsBound, claimIsGone, podIs, podIsGone } from "../user.ts";
import { besideInTree, withoutInTree } from "./settings.ts";

/** A user with one claim, which is used, deleted while it is used, let go, and created again. */
export function laneOfClaim(name: string, random: Random): Lane {
  const user = `user-of-${name}`;
  const steps: Step[] = [];
  const create: Step[] = [
    (user) => user.createClaim(name),
    (user) => patiently(user, claimIsBound(name)),
    ({ createPod }) => createPod(user, [name]),
    (one) => patiently(one, podIs(user, "Running")),
  ];
  for (let round = 1 + random.below(2); round >= 0; round--) {
    steps.push(...create);
    if (round === 0 && random.below(2) === 0) break;
    const leave: Step[] = [(one) => one.deleteClaim(name), (one) => one.deletePod(user)];
    steps.push(...(random.below(3) === 0 ? leave.toReversed() : leave));
    steps.push(async (one) => {
      await patiently(one, podIsGone(user));
      await patiently(one, claimIsGone(name));
    });
  }
  return { name: `claim ${name}`, needs: [`persistentvolumeclaims/${name}`], steps };
}

/** Three users, each with a claim. */
export function sequence(number: number): Sequence {
  const random = streamsOf(number)("sequence of pvc-protection");
  const lanes = ["a", "b", "c"].map((name) => laneOfClaim(name, random));
  const setting = random.below(2) === 0 ? besideInTree : withoutInTree;
  return sequenceOf({ system: "pvc-protection", setting, lanes }, random);
}

/** Claims and pods. */
export const end = ({ history }: Truth): readonly string[] =>
  [...history.live("PersistentVolumeClaim"), ...history.live("Pod")]
    .map(({ kind, metadata, status }) => {
      const { phase } = (status ?? {}) as { phase?: string };
      const deleted = metadata.deletionTimestamp ? ", being deleted" : "";
      const held = kind === "Pod" ? "" : `, held by ${metadata.finalizers?.toSorted().join(" and ") ?? "nothing"}`;
      return `${kind} ${metadata.name} is ${phase}${deleted}${held}`;
    })
    .toSorted();
