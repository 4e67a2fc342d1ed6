import { ApiError, isNotFound } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import { type MachineSeen, unreadable } from "../lib/machine.ts";

/** Every provider has a kind of its own in this group. */
export const Infrastructure = {
  apiVersion: "infrastructure.cluster.x-k8s.io/v1beta2",
  kind: "infrastructure object",
  plural: "*",
  namespaced: true,
} as const satisfies Kind;

/**
 * Whether the infrastructure object of a Machine is being deleted, or is gone: nothing can hold its server any more.
 * The Machine does not say so: its reason goes back to an earlier one with any hook that is set later. `undefined`
 * where the object may not be read, or is of a kind that is not served.
 *
 * @throws SystemError
 */
export async function isServerGoing(client: Client, { object }: MachineSeen): Promise<boolean | undefined> {
  const { apiGroup, apiVersion = "", kind = "", name = "" } = object.spec?.infrastructureRef ?? {};
  const group = apiGroup ?? apiVersion.split("/")[0];
  if (!group || !name) return undefined;
  try {
    const { preferredVersion } = await client.request<{ preferredVersion: { groupVersion: string } }>(
      "GET",
      `/apis/${group}`,
    );
    const path = `/apis/${preferredVersion.groupVersion}`;
    const { resources } = await client.request<{ resources: { name: string; kind: string }[] }>("GET", path);
    const plural = resources.find((one) => one.kind === kind && !one.name.includes("/"))?.name;
    if (!plural) return undefined;
    const found = { ...Infrastructure, apiVersion: preferredVersion.groupVersion, kind, plural };
    const infrastructure = await client.get(found, object.metadata.namespace, name);
    return !infrastructure || isBeingDeleted(infrastructure);
  } catch (error) {
    if (isNotFound(error) || (error instanceof ApiError && error.status === 403)) return undefined;
    return unreadable(`The ${kind} ${name} of Machine ${object.metadata.name}`)(error);
  }
}
