import { ApiError, isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import { isBeingDeleted } from "../../shared/kubernetes/finalizer.ts";
import { Namespace } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { ControllerTools, Running } from "./controller.ts";
import { startObjectQueue } from "./object-queue.ts";
import { ServiceAccount } from "./objects/kinds.ts";

const name = "default";

/** Sees that every namespace has a service account called `default`. */
export function startServiceAccounts(tools: ControllerTools): Running {
  const { client, reflections } = tools;
  const namespaces = reflections.of(Namespace);
  const accounts = reflections.of(ServiceAccount);
  const queue = startObjectQueue(tools, {
    controller: "serviceaccount-controller",
    objects: namespaces,
    reads: [accounts],
    async work(home, namespace) {
      if (isBeingDeleted(home) || accounts.get(namespace, name)) return;
      // The server sets what is missing.
      const metadata = { name, namespace } as KubernetesObject["metadata"];
      const account = { apiVersion: ServiceAccount.apiVersion, kind: ServiceAccount.kind, metadata };
      await client.create(ServiceAccount, account).catch((error) => {
        const isLeaving = error instanceof ApiError && (error.status === 403 || error.status === 404);
        if (!isAlreadyExists(error) && !isLeaving) throw error;
      });
    },
  });
  accounts.on((change, { metadata }) => {
    if (change === "delete" && metadata.name === name && metadata.namespace) queue.add(metadata.namespace);
  });
  return queue;
}
