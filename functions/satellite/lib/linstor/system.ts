import { z } from "zod";
import { exchangeWith } from "../../../../shared/system/exchange.ts";
import { system } from "../../../../shared/system/system.ts";
import { SystemError } from "../../../../shared/system/system-error.ts";
import type { SystemTransport } from "../../../../shared/system/transport.ts";
import { caller } from "./caller.ts";
import { linstorClient } from "./client.ts";
import { isExposed, linstorAddresses, linstorControllers, mayBeAsked, settingRoot } from "./controllers.ts";

const second = 1000;

/** LINSTOR controllers. An evacuation is answered only when its replacements are deployed, 10 s for three volumes. */
export const linstor = system({
  name: "linstor",
  doc:
    "The LINSTOR controller that owns the satellites: asked what is on a node, and called to register, " +
    "evacuate and remove it.",
  settings: z.object({
    ...linstorAddresses.shape,
    linstorAllowHttp: z
      .enum(["false", "in-cluster", "true"])
      .default("false")
      .describe(
        "Which hosts LINSTOR_URL may name with http://. Without TLS, others on the network can answer in LINSTOR's " +
          "place. `in-cluster`: those in .svc or .svc.cluster.local. `true`: all. `false`: localhost, and those in " +
          "LINSTOR_HOSTS.",
      ),
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
        "Milliseconds in which LINSTOR must answer a command, from 120,000 to 170,000: a longer wait would go " +
          "beyond the Lease of an evacuation. LINSTOR goes on with a command after the wait has ended.",
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
      const refused = isExposed(url, settings.linstorHosts, settings.linstorAllowHttp);
      const exchange = (deadline: number) =>
        refused ? async () => refusePlainText(url) : exchangeWith("LINSTOR", through, clock, deadline, named);
      return linstorClient(caller(exchange(settings.linstorTimeout), exchange(settings.linstorCommandTimeout)), url);
    };
    return linstorControllers(
      client(transport, settingRoot(settings.linstorUrl)),
      (root) => client(transportTo(root), root, root),
      (root) => mayBeAsked(root, settings),
    );
  },
});

function refusePlainText(url: string): never {
  throw new SystemError(
    "LINSTOR",
    "refused",
    `${url} is without TLS: others on the network could answer in LINSTOR's place. Give LINSTOR TLS, and write ` +
      "https:// into LINSTOR_URL. If you accept the risk, set LINSTOR_ALLOW_HTTP in the ConfigMap " +
      'holdfast-satellite: to in-cluster for Services of the cluster, or to "true" for all hosts.',
  );
}
