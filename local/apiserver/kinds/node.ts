import { objectIn, setMissing, statusOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** Nodes: a kubelet registers its node together with the status. */
export const nodeStrategy: Strategy = {
  keepsStatusAtCreation: true,
  defaults(node) {
    objectIn(node, "spec");
    const { capacity } = statusOf(node);
    setMissing(objectIn(node, "status"), capacity ? { allocatable: capacity } : {});
  },
};
