import { label1035Problems } from "../validation/names.ts";
import { objectIn, objectsIn, setMissing } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** Services: they are kept and shown; no address is allocated, for nothing routes to them. */
export const serviceStrategy: Strategy = {
  nameRule: label1035Problems,
  createOnUpdate: true,
  answersDeleted: true,
  defaults(service) {
    const spec = objectIn(service, "spec");
    setMissing(spec, { type: "ClusterIP", sessionAffinity: "None", internalTrafficPolicy: "Cluster" });
    if (spec.clusterIP === "None") setMissing(spec, { clusterIPs: ["None"] });
    for (const port of objectsIn(spec, "ports")) setMissing(port, { protocol: "TCP", targetPort: port.port });
    setMissing(objectIn(service, "status"), { loadBalancer: {} });
  },
};
