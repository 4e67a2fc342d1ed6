import type { Clock } from "../../shared/clock.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { ApiError, isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { discover } from "../../shared/kubernetes/discover.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";

/** What others refer to comes first. */
const order = ["Namespace", "CustomResourceDefinition", "ServiceAccount", "ClusterRole", "ClusterRoleBinding"];
const rank = ({ kind }: KubernetesObject) => (order.includes(kind) ? order.indexOf(kind) : order.length);

/** Each object with its kind as the server serves it, in an order in which they can be created. */
async function sortForCreation(
  client: Client,
  objects: readonly KubernetesObject[],
): Promise<[Kind, KubernetesObject][]> {
  const served = await discover(client, () => {});
  return objects
    .toSorted((one, other) => rank(one) - rank(other))
    .map((object) => {
      const kind = served.find((kind) => kind.apiVersion === object.apiVersion && kind.kind === object.kind);
      if (!kind) throw new UserError(`The API server does not serve ${object.apiVersion} ${object.kind}.`);
      return [kind, object];
    });
}

/** Creates objects on a server of our own. */
export async function create(client: Client, objects: readonly KubernetesObject[]): Promise<void> {
  for (const [kind, object] of await sortForCreation(client, objects)) await client.create(kind, object);
}

/** Marks what this program put on a user's cluster, so that a run after one that was killed knows it again. */
export const ownLabel = { "app.kubernetes.io/managed-by": "holdfast-laptop" };

/** Whether a run of this program made the object. */
export const isOurs = ({ metadata }: KubernetesObject): boolean =>
  metadata.labels?.["app.kubernetes.io/managed-by"] === "holdfast-laptop";

const goingPatience = 60_000;

/**
 * Objects on a user's cluster that are to be removed again. `mayTakeOver` is asked once, when objects of another run
 * are found.
 */
export function createGuests(client: Client, clock: Clock, mayTakeOver: () => Promise<boolean>) {
  const present: [Kind, KubernetesObject][] = [];
  let takesOver: Promise<boolean> | undefined;

  async function add(kind: Kind, object: KubernetesObject): Promise<void> {
    const labels = { ...object.metadata.labels, ...ownLabel };
    try {
      present.push([kind, await client.create(kind, { ...object, metadata: { ...object.metadata, labels } })]);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { namespace, name } = object.metadata;
      const found = await client.get<KubernetesObject>(kind, namespace, name);
      if (!found) return add(kind, object);
      if (!isOurs(found))
        throw new UserError(
          `${describe(referenceTo(found))} is there already and not ours: Holdfast seems to be installed on this ` +
            "cluster. Nothing of it was touched.",
        );
      takesOver ??= mayTakeOver();
      if (!(await takesOver)) throw new UserError("What another run has here was left to it.");
      await client.delete(kind, namespace, name, { uid: found.metadata.uid });
      await gone(kind, found);
      return add(kind, object);
    }
  }

  async function gone(kind: Kind, { metadata }: KubernetesObject): Promise<void> {
    for (const end = clock.now() + goingPatience; ; await clock.sleep(200)) {
      const found = await client.get<KubernetesObject>(kind, metadata.namespace, metadata.name, { metadataOnly: true });
      if (found?.metadata.uid !== metadata.uid) return;
      if (clock.now() > end) throw new UserError(`${describe(referenceTo(found))} was deleted and is still going.`);
    }
  }

  return {
    /**
     * Creates objects, marked as ours; one that is there and not ours is left alone and complained about. Rejects
     * when `signal` aborts.
     */
    async add(objects: readonly KubernetesObject[], signal: AbortSignal) {
      for (const [kind, object] of await sortForCreation(client, objects)) {
        signal.throwIfAborted();
        await add(kind, object);
      }
    },
    /** Whether objects of another run were found and made again. */
    tookOver: async () => (await takesOver) ?? false,
    /** Deletes them, last first, and resolves when the server no longer has any of them. */
    async remove() {
      const leaving = present.splice(0).reverse();
      for (const [kind, { metadata }] of leaving) {
        const { namespace, name, uid } = metadata;
        // A user may have put another in its place.
        await client.delete(kind, namespace, name, { uid }).catch((error) => {
          if (!(error instanceof ApiError && error.status === 409)) throw error;
        });
      }
      for (const [kind, object] of leaving) await gone(kind, object);
    },
  };
}
