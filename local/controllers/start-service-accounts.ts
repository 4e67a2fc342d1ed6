import { ApiError, isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import { isBeingDeleted } from "../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { ControllerTools, Running } from "./controller.ts";
import { Namespace, ServiceAccount } from "./objects/kinds.ts";
import { startWorkQueue } from "./work-queue.ts";

const name = "default";

/** Sees that every namespace has a service account called `default`. */
export function startServiceAccounts({ client, clock, signal, reflections, trouble }: ControllerTools): Running {
  const namespaces = reflections.of(Namespace);
  const accounts = reflections.of(ServiceAccount);
  const synced = Promise.all([namespaces.synced, accounts.synced]);
  const queue = startWorkQueue({
    clock,
    signal,
    ready: synced,
    async work(namespace) {
      const home = namespaces.get(undefined, namespace);
      if (!home || isBeingDeleted(home) || accounts.get(namespace, name)) return;
      // The server sets what is missing.
      const metadata = { name, namespace } as KubernetesObject["metadata"];
      const account = { apiVersion: ServiceAccount.apiVersion, kind: ServiceAccount.kind, metadata };
      await client.create(ServiceAccount, account).catch((error) => {
        const isLeaving = error instanceof ApiError && (error.status === 403 || error.status === 404);
        if (!isAlreadyExists(error) && !isLeaving) throw error;
      });
    },
    failed: (subject, error) => trouble({ controller: "serviceaccount-controller", subject, error }),
  });
  namespaces.on((change, { metadata }) => {
    if (change !== "delete") queue.add(metadata.name);
  });
  accounts.on((change, { metadata }) => {
    if (change === "delete" && metadata.name === name && metadata.namespace) queue.add(metadata.namespace);
  });
  return { synced };
}
