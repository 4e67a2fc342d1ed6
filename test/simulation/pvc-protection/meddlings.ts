import { pick } from "../faults/api.ts";
import { type Meddling, onClaim } from "../faults/meddling.ts";
import { inTree } from "../world/may-run.ts";
import { ours, progress } from "./protection.ts";

/** What users and operators may do to PVC protection. */
export const meddlings: Readonly<Record<string, Meddling>> = {
  "strips our finalizer": (stage, truth) => onClaim(stage, ({ metadata }) => stage.strip(metadata.name, ours(truth))),
  "strips Kubernetes' finalizer": (stage) => onClaim(stage, ({ metadata }) => stage.strip(metadata.name, inTree)),
  "strips our annotations": (stage) =>
    onClaim(stage, ({ metadata }) =>
      stage.patchClaim(metadata.name, { metadata: { annotations: { [progress]: null } } }),
    ),
  "edits our annotation": (stage) =>
    onClaim(stage, ({ metadata }) => {
      const lies = [
        `{"v":1,"uid":"${metadata.uid}","step":"held","since":"yesterday","because":"I say so"}`,
        "{",
        "",
        "held",
      ];
      return stage.patchClaim(metadata.name, { metadata: { annotations: { [progress]: pick(stage.random, lies) } } });
    }),
  "changes the mode": ({ random }, { cluster }) =>
    cluster.fleet.configure("pvc-protection/release", { MODE: pick(random, ["strict", "document"]) }),
  "says something else of Kubernetes' protection": ({ random }, { cluster }) =>
    cluster.fleet.configure("pvc-protection/release", { IN_TREE: pick(random, ["present", "overruled", "absent"]) }),
};
