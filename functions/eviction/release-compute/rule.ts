import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { seemsUnused } from "../lib/dependent.ts";
import { eviction } from "../lib/eviction.ts";
import { NovaComputeNode } from "../lib/kinds.ts";
import { abandonKey, computeFinalizer, recordKey } from "../lib/names.ts";
import { mayLetGo, mayLook } from "../lib/permissions.ts";
import { letGo, lettingGo, seeSharer } from "../lib/release.ts";

export const releaseCompute = chainRule(eviction, "release-compute", {
  doc: "Deletes the pods of an empty host, then removes the lock from its Node, and releases the resource last.",
  permissions: [
    ...mayLook({ finalizers: [computeFinalizer] }, "to remove the finalizer when the host is empty and has no pod"),
    ...mayLetGo([NovaComputeNode]),
  ],
  ...lettingGo([NovaComputeNode], "servers on hosts of OpenStack", recordKey),
  // A host is let go after it has been seen empty, which is written down.
  isElsewhere: (compute) =>
    compute.wanted !== "disable" &&
    compute.record?.empty === undefined &&
    compute.object.metadata.annotations?.[abandonKey] === undefined &&
    !seemsUnused(compute),
  look: (_, { client }, look) => seeSharer(client, look),
  act: (context, { sharer }) => {
    const { object, record } = context;
    const release = removeFinalizer(NovaComputeNode, object, computeFinalizer);
    return letGo(context, record?.empty ?? record?.begun, release, sharer);
  },
});
