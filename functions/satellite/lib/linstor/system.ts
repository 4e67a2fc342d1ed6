import { z } from "zod";
import { exchangeWith } from "../../../../shared/system/exchange.ts";
import { system } from "../../../../shared/system/system.ts";
import type { SystemTransport } from "../../../../shared/system/transport.ts";
import { caller } from "./caller.ts";
import { linstorClient } from "./client.ts";
import { linstorAddresses, linstorControllers, mayBeAsked, settingRoot } from "./controllers.ts";

const second = 1000;

/** LINSTOR controllers. An evacuation is answered only when its replacements are deployed, 10 s for three volumes. */
export const linstor = system({
  name: "linstor",
  doc:
    "The LINSTOR controller that owns the satellites: asked what is on a node, and called to register, " +
    "evacuate and remove it.",
  settings: z.object({
    ...linstorAddresses.shape,
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
        "names in spec.apiTLS. It may hold several, one after the other, where there are several LINSTORs.",
      optional: true,
    },
    "tls.crt": {
      doc: "The certificate by which LINSTOR lets the function in: `tls.crt` of the client Secret of spec.apiTLS.",
      optional: true,
    },
    "tls.key": { doc: "The key of that certificate: `tls.key` of the same Secret.", optional: true },
  },
  namedBy: "spec.externalController of a LinstorCluster",
  ports: [3370, 3371],
  connect({ transport, transportTo, clock, settings }) {
    const client = (through: SystemTransport, url: string, named?: string) => {
      const reads = exchangeWith("LINSTOR", through, clock, settings.linstorTimeout, named);
      const writes = exchangeWith("LINSTOR", through, clock, settings.linstorCommandTimeout, named);
      return linstorClient(caller(reads, writes), url);
    };
    return linstorControllers(
      client(transport, settingRoot(settings.linstorUrl)),
      (root) => client(transportTo(root), root, root),
      (root) => mayBeAsked(root, settings),
    );
  },
});
