import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { Pod } from "../../../shared/kubernetes/kind.ts";
import { on } from "../../../shared/rule.ts";
import { agentsIn } from "../lib/agent-pod.ts";
import { eviction } from "../lib/eviction.ts";
import { NovaComputeNode } from "../lib/kinds.ts";
import { letGo } from "../lib/let-go.ts";
import { abandonKey, computeFinalizer, recordKey } from "../lib/names.ts";
import { mayLetGo, mayLook, mayRecordEvents } from "../lib/permissions.ts";

export const releaseCompute = chainRule(eviction, "release-compute", {
  doc: "Deletes the pods of an empty host, then removes the lock from its Node, and releases the resource last.",
  permissions: [
    ...mayLook(
      { finalizers: [computeFinalizer] },
      "to remove the finalizer when the host is empty and its pods are gone",
    ),
    ...mayLetGo,
    mayRecordEvents,
  ],
  triggers: [on(NovaComputeNode, ["update"]), on(Pod, ["delete"])],
  subjects: (hint, own) => [...own, ...agentsIn(hint, [NovaComputeNode])],
  // A host is let go after it has been seen empty, which is written down.
  isElsewhere: ({ object, record, wanted }) =>
    wanted !== "disable" && record?.empty === undefined && object.metadata.annotations?.[abandonKey] === undefined,
  finalizers: [
    {
      kind: NovaComputeNode,
      finalizer: computeFinalizer,
      standsFor: "servers on hosts of OpenStack",
      isUnderWay: ({ metadata }) => metadata.annotations?.[recordKey] !== undefined,
    },
  ],
  act: (context) => {
    const release = removeFinalizer(NovaComputeNode, context.object, computeFinalizer);
    return letGo(context, release, context.record?.empty ?? context.record?.begun);
  },
});
