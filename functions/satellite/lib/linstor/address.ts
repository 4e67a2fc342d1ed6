import { z } from "zod";

/**
 * Where LINSTOR is: of the system's settings the one that also a rule has which speaks with nobody there and only
 * compares it, so that it needs neither certificates nor a way out.
 */
export const linstorAddress = z.object({
  linstorUrl: z
    .url({ protocol: /^https?$/ })
    .default("http://linstor-controller.piraeus-datastore.svc:3370")
    .describe("Root of the LINSTOR controller's REST API: port 3370, or 3371 with https and a client certificate."),
});
