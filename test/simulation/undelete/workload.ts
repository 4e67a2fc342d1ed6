import { pick } from "../../harness/faults/api.ts";
import { PersistentVolume } from "../../harness/kinds.ts";
import type { User } from "../user.ts";
import { type Operation, onClaim } from "../workload.ts";
import { keepKey, noteKey, offerKey, reclaimAtKey } from "./volumes.ts";

async function onVolume(user: User, patch: object): Promise<void> {
  const volumes = await user.list(PersistentVolume);
  if (volumes.length === 0) return;
  const { name } = pick(user.random, volumes).metadata;
  await user.attempt(`patches volume ${name} with ${JSON.stringify(patch)}`, (client) =>
    client.patch(PersistentVolume, undefined, name, "merge", patch),
  );
}

const annotate = (user: User, annotations: Record<string, string | null>) =>
  onVolume(user, { metadata: { annotations } });

/** What users and operators may do to undelete. */
export const workload: Readonly<Record<string, Operation>> = {
  "says how long a volume is kept": (user) =>
    onClaim(user, ({ metadata }) =>
      user.patchClaim(metadata.name, {
        metadata: { annotations: { [keepKey]: pick(user.random, ["20s", "24h", "none", "soon", null]) } },
      }),
    ),
  "moves the time of a volume": (user) =>
    annotate(user, { [reclaimAtKey]: pick(user.random, ["2099-01-01T00:00:00Z", "tomorrow", null]) }),
  "says that a volume may be offered": (user) => annotate(user, { [offerKey]: "yes" }),
  "sets the policy of a volume": (user) =>
    onVolume(user, { spec: { persistentVolumeReclaimPolicy: pick(user.random, ["Retain", "Delete"]) } }),
  "writes the note of another volume": (user) => {
    const note = '{"v":1,"uid":"not-this-one","step":"offered","since":"2026-01-01T00:00:00Z","because":"copied"}';
    return annotate(user, { [noteKey]: note });
  },
};
