import { pick } from "../../harness/faults/api.ts";
import { type Operation, onClaim } from "../workload.ts";
import { inTree } from "./may-run.ts";
import { ours, progress } from "./protection.ts";

/** What users and operators may do to PVC protection. */
export const workload: Readonly<Record<string, Operation>> = {
  "strips our finalizer": (user, truth) => onClaim(user, ({ metadata }) => user.strip(metadata.name, ours(truth))),
  "strips Kubernetes' finalizer": (user) => onClaim(user, ({ metadata }) => user.strip(metadata.name, inTree)),
  "strips our annotations": (user) =>
    onClaim(user, ({ metadata }) =>
      user.patchClaim(metadata.name, { metadata: { annotations: { [progress]: null } } }),
    ),
  "edits our annotation": (user) =>
    onClaim(user, ({ metadata }) => {
      const lies = [
        `{"v":1,"uid":"${metadata.uid}","step":"held","since":"yesterday","because":"I say so"}`,
        "{",
        "",
        "held",
      ];
      return user.patchClaim(metadata.name, { metadata: { annotations: { [progress]: pick(user.random, lies) } } });
    }),
  "changes the mode": ({ random }, { cluster }) =>
    cluster.fleet.configure("pvc-protection/release", { MODE: pick(random, ["strict", "document"]) }),
  "says something else of Kubernetes' protection": ({ random }, { cluster }) =>
    cluster.fleet.configure("pvc-protection/release", { IN_TREE: pick(random, ["present", "overruled", "absent"]) }),
};
