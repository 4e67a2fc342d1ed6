import { objectIn, objectsIn, setMissing } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** Services: they are kept and shown; no address is allocated, for nothing routes to them. */
export const serviceStrategy: Strategy = {
  createOnUpdate: true,
  answersDeleted: true,
  defaults(service) {
    for (const port of objectsIn(objectIn(service, "spec"), "ports")) setMissing(port, { protocol: "TCP" });
  },
};
