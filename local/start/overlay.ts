import type { Transport } from "../../shared/kubernetes/transport.ts";

/**
 * One API of two servers: the given API groups are served by `over`, everything else by `under`. So a cluster without
 * Knative has Knative's objects as far as this program is concerned, and no other program sees them.
 */
export function overlay(groups: readonly string[], over: Transport, under: Transport): Transport {
  return (request) =>
    groups.some((group) => request.path.startsWith(`/apis/${group}/`)) ? over(request) : under(request);
}
