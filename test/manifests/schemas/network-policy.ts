import * as z from "zod";
import { labels, namespaced } from "./common.ts";

const among = z.strictObject({ key: z.string(), operator: z.literal("In"), values: z.array(z.string()).min(1) });
const podSelector = z.strictObject({ matchLabels: labels, matchExpressions: z.array(among).optional() });
const names = "kubernetes.io/metadata.name";
const namespaceSelector = z.union([
  z.strictObject({ matchLabels: z.strictObject({ [names]: z.string() }) }),
  z.strictObject({
    matchExpressions: z.tuple([
      z.strictObject({ key: z.literal(names), operator: z.literal("In"), values: z.array(z.string()).min(1) }),
    ]),
  }),
]);
const ipBlock = z.strictObject({ cidr: z.cidrv4() });
const peers = z.array(z.strictObject({ podSelector, namespaceSelector, ipBlock }).partial()).min(1);
const ports = z.array(z.strictObject({ port: z.int(), protocol: z.enum(["TCP", "UDP"]).optional() })).min(1);

/** Who may come in is always said; of what may go out, at least the port. */
export const networkPolicy = z.strictObject({
  apiVersion: z.literal("networking.k8s.io/v1"),
  kind: z.literal("NetworkPolicy"),
  metadata: namespaced,
  spec: z.strictObject({
    podSelector,
    policyTypes: z.array(z.enum(["Ingress", "Egress"])).min(1),
    ingress: z.array(z.strictObject({ from: peers, ports: ports.optional() })).optional(),
    egress: z
      .array(z.strictObject({ to: peers.optional(), ports }))
      .min(1)
      .optional(),
  }),
});
