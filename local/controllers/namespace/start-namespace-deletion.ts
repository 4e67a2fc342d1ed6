import { isConflict, isNotFound } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { ServedKind } from "../../../shared/kubernetes/discover.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Namespace, Pod, pathOf } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { ControllerTools, Running } from "../controller.ts";
import type { Everything } from "../discovery/everything.ts";
import { kindKey } from "../objects/kinds.ts";
import { startWorkQueue } from "../work-queue.ts";

type NamespaceObject = KubernetesObject & { spec?: { finalizers?: string[] } };

const finalizer = "kubernetes";

/** Milliseconds for which changes in a namespace being deleted are gathered before it is looked at again. */
const gather = 250;

/**
 * Empties namespaces being deleted, the pods first, and lets each go once it is empty. Where Kubernetes comes back
 * after a guess of how long things take, this comes back when something in the namespace has gone.
 */
export function startNamespaceDeletion(tools: ControllerTools & { everything: Everything }): Running {
  const { client, reflections, everything } = tools;
  const namespaces = reflections.of<NamespaceObject>(Namespace);
  const synced = Promise.all([namespaces.synced, everything.synced]);

  const queue = startWorkQueue(tools, {
    controller: "namespace-controller",
    ready: synced,
    workers: 5,
    async work(name) {
      const namespace = await client.get<NamespaceObject>(Namespace, undefined, name);
      if (!namespace || !isBeingDeleted(namespace) || !namespace.spec?.finalizers?.length) return;
      if (await deleteContent(client, name, everything.kinds())) await finalize(namespace);
    },
  });

  async function finalize(namespace: NamespaceObject): Promise<void> {
    const finalizers = namespace.spec?.finalizers?.filter((other) => other !== finalizer) ?? [];
    const body = { ...namespace, apiVersion: "v1", kind: "Namespace", spec: { ...namespace.spec, finalizers } };
    const path = pathOf(Namespace, undefined, namespace.metadata.name, "finalize");
    await client.request("PUT", path, body).catch((error) => {
      if (!isConflict(error) && error.status !== 404) throw error;
      if (isConflict(error)) queue.add(namespace.metadata.name);
    });
  }

  namespaces.on((change, namespace) => {
    if (change !== "delete" && isBeingDeleted(namespace)) queue.add(namespace.metadata.name);
  });
  everything.on((_, change, { metadata }) => {
    const namespace = metadata.namespace && namespaces.get(undefined, metadata.namespace);
    if (namespace && change !== "add" && isBeingDeleted(namespace)) queue.addAfter(namespace.metadata.name, gather);
  });
  return { synced };
}

/**
 * Deletes all pods of a namespace, and once none is left everything else (KEP-5080). Returns whether nothing is left.
 * Throws the first failure: where pods cannot be deleted, before anything else is touched, and otherwise after it has
 * tried every kind.
 */
async function deleteContent(client: Client, namespace: string, served: readonly ServedKind[]): Promise<boolean> {
  const deletable = served.filter(({ namespaced, verbs }) => namespaced && verbs.includes("deletecollection"));
  const isPod = (kind: ServedKind) => kindKey(kind) === kindKey(Pod);
  for (const kinds of [deletable.filter(isPod), deletable.filter((kind) => !isPod(kind))]) {
    let isEmpty = true;
    const failures: unknown[] = [];
    for (const kind of kinds) {
      try {
        if (!(await deleteKind(client, namespace, kind))) isEmpty = false;
      } catch (error) {
        // A kind whose definition has gone meanwhile has nothing left.
        if (!isNotFound(error)) failures.push(error);
      }
    }
    if (failures.length) throw failures[0];
    if (!isEmpty) return false;
  }
  return true;
}

/** Returns whether nothing of the kind is left. */
async function deleteKind(client: Client, namespace: string, kind: ServedKind): Promise<boolean> {
  const options = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" };
  await client.request("DELETE", pathOf(kind, namespace), options);
  for await (const _ of client.list(kind, { namespace, metadataOnly: true })) return false;
  return true;
}
