import { PersistentVolume } from "../../worlds/kinds.ts";
import { pick } from "../faults/api.ts";
import { type Meddling, onClaim } from "../faults/meddling.ts";
import type { Stage } from "../stage.ts";
import { keepKey, noteKey, offerKey, reclaimAtKey } from "./volumes.ts";

async function onVolume(stage: Stage, patch: object): Promise<void> {
  const volumes = await stage.list(PersistentVolume);
  if (volumes.length === 0) return;
  const { name } = pick(stage.random, volumes).metadata;
  await stage.attempt(`patches volume ${name} with ${JSON.stringify(patch)}`, (client) =>
    client.patch(PersistentVolume, undefined, name, "merge", patch),
  );
}

const annotate = (stage: Stage, annotations: Record<string, string | null>) =>
  onVolume(stage, { metadata: { annotations } });

/** What users and operators may do to undelete. */
export const meddlings: Readonly<Record<string, Meddling>> = {
  "says how long a volume is kept": (stage) =>
    onClaim(stage, ({ metadata }) =>
      stage.patchClaim(metadata.name, {
        metadata: { annotations: { [keepKey]: pick(stage.random, ["20s", "24h", "none", "soon", null]) } },
      }),
    ),
  "moves the time of a volume": (stage) =>
    annotate(stage, { [reclaimAtKey]: pick(stage.random, ["2099-01-01T00:00:00Z", "tomorrow", null]) }),
  "says that a volume may be offered": (stage) => annotate(stage, { [offerKey]: "yes" }),
  "sets the policy of a volume": (stage) =>
    onVolume(stage, { spec: { persistentVolumeReclaimPolicy: pick(stage.random, ["Retain", "Delete"]) } }),
  "writes the note of another volume": (stage) => {
    const note = '{"v":1,"uid":"not-this-one","step":"offered","since":"2026-01-01T00:00:00Z","because":"copied"}';
    return annotate(stage, { [noteKey]: note });
  },
};
