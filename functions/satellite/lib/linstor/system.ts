import { z } from "zod";
import { exchangeWith } from "../../../../shared/system/exchange.ts";
import { system } from "../../../../shared/system/system.ts";
import { linstorAddress } from "./address.ts";
import { caller } from "./caller.ts";
import { linstorClient } from "./client.ts";

const second = 1000;

/** A LINSTOR controller. An evacuation is answered only when its replacements are deployed, 10 s for three volumes. */
export const linstor = system({
  name: "linstor",
  doc:
    "The LINSTOR controller that owns the satellites: asked what is on a node, and called to register, " +
    "evacuate and remove it.",
  settings: linstorAddress.extend({
    linstorTimeout: z.coerce
      .number()
      .int()
      .min(second)
      .default(30 * second)
      .describe("Milliseconds in which LINSTOR must answer a read."),
    linstorCommandTimeout: z.coerce
      .number()
      .int()
      .min(120 * second)
      .max(170 * second)
      .default(150 * second)
      .describe(
        "Milliseconds in which LINSTOR must answer a command, from 120,000 to 170,000: who waits longer would wait " +
          "beyond the Lease of an evacuation. LINSTOR goes on with a command when nobody listens any more.",
      ),
  }),
  credentials: {
    "ca.crt": {
      doc:
        "The authority that has signed LINSTOR's certificate: `ca.crt` of the Secret that LinstorCluster " +
        "names in spec.apiTLS.",
      optional: true,
    },
    "tls.crt": {
      doc: "The certificate by which LINSTOR lets the function in: `tls.crt` of the client Secret of spec.apiTLS.",
      optional: true,
    },
    "tls.key": { doc: "The key of that certificate: `tls.key` of the same Secret.", optional: true },
  },
  ports: [3370, 3371],
  connect({ transport, clock, settings }) {
    const reads = exchangeWith("LINSTOR", transport, clock, settings.linstorTimeout);
    const writes = exchangeWith("LINSTOR", transport, clock, settings.linstorCommandTimeout);
    return linstorClient(caller(reads, writes), settings.linstorUrl);
  },
});
