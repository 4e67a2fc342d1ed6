import * as z from "zod";
import { exchangeWith } from "../../../../shared/system/exchange.ts";
import { system } from "../../../../shared/system/system.ts";
import { SystemError } from "../../../../shared/system/system-error.ts";
import { saltClient } from "./client.ts";

const settings = z.object({
  saltUrl: z
    .url({ protocol: /^https?$/ })
    .default("https://salt-master:4507")
    .describe("Where salt-api (rest_cherrypy) listens."),
  saltAllowHttp: z
    .stringbool()
    .prefault("false")
    .describe("Whether http:// is allowed for salt-api. The password is then sent in plain text."),
  saltTimeout: z.coerce
    .number()
    .min(3)
    .max(60)
    .default(10)
    .describe(
      "Seconds after which a request to Salt counts as unanswered. While its master is down, salt-api answers none.",
    ),
  saltEauth: z
    .string()
    .min(1)
    .default("holdfast")
    .describe("The external authentication that Salt checks the login with; kubernetes_rbac in MetalK8s."),
  saltUsername: z
    .string()
    .min(1)
    .default("holdfast")
    .describe("The account that external_auth of the Salt master lists with its rights."),
});

/** Salt, through salt-api. */
export const salt = system({
  name: "salt",
  doc: "Salt (3006 or newer) prepares storage on the nodes, through salt-api; the names of nodes are its minions' ids.",
  settings,
  credentials: {
    password: { doc: "The password of the Salt account; not needed with a token.", optional: true },
    token: {
      doc: "A token instead of a password, as kubernetes_rbac wants it: that of a service account. Read at each login.",
      optional: true,
    },
    "ca.crt": { doc: "The authority that certified salt-api; not needed where a public one did.", optional: true },
  },
  ports: [4507],
  onlyReads: ({ path, body }) => path === "/login" || asksMinion(JSON.parse(body ?? "{}")),
  connect: ({ transport, clock, settings, credential }) => {
    const { saltUrl, saltAllowHttp, saltEauth: eauth, saltUsername: username } = settings;
    const exchange = exchangeWith("Salt", transport, clock, settings.saltTimeout * 1000);
    const inPlainText = saltUrl.startsWith("http:") && !saltAllowHttp;
    return saltClient(inPlainText ? async () => refusePlainText(saltUrl) : exchange, { eauth, username, credential });
  },
});

/** Whether a request has a minion do nothing but answer. */
const asksMinion = ({ client, fun }: { client?: string; fun?: string }) =>
  client === "local" && ["saltutil.find_job", "metalk8s_volumes.device_name"].includes(fun ?? "");

function refusePlainText(url: string): never {
  throw new SystemError(
    "Salt",
    "refused",
    `SALT_URL is ${url}: the account's password would be sent in plain text. Give salt-api a certificate and write ` +
      "https://, or set SALT_ALLOW_HTTP to true if no one else can read the network.",
  );
}
