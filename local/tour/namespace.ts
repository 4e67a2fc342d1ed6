import { UserError } from "../../shared/command/user-error.ts";
import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import { Namespace } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { heldObjects, letGo } from "../../shared/uninstall/held-objects.ts";
import { isOurs, ownLabel } from "../cluster/install.ts";
import type { RunningCluster } from "../cluster/running-cluster.ts";
import type { Step } from "./play.ts";

/** The namespace that the tours make and take away. */
export const tourNamespace = "holdfast-tour";

const goingPatience = 60_000;

/** Makes the tours' namespace, again where a run that was killed left it; complains about a foreign one. */
export async function beginTour(cluster: Pick<RunningCluster, "client" | "clock" | "holds">): Promise<void> {
  const metadata = { name: tourNamespace, labels: ownLabel } as unknown as KubernetesObject["metadata"];
  try {
    await cluster.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await cluster.client.get<KubernetesObject>(Namespace, undefined, tourNamespace);
    if (found && !isOurs(found))
      throw new UserError(`Namespace ${tourNamespace} is there already; the tour makes its own. Delete it first.`);
    await endTour(cluster);
    return beginTour(cluster);
  }
}

/** The last step: nothing is left, of the tours or of the functions. */
export function nothingLeft({ client, processes }: Pick<RunningCluster, "client" | "processes">): Step {
  return {
    title: "Nothing to do",
    text: `Namespace ${tourNamespace} is deleted with what is left in it. A function without work costs nothing.`,
    async act() {
      await client.delete(Namespace, undefined, tourNamespace);
    },
    proofs: [
      { what: "the namespace is gone", check: async () => !(await client.get(Namespace, undefined, tourNamespace)) },
      { what: "every function is back at zero", check: async () => processes() === 0 },
    ],
  };
}

/**
 * Takes away what the tours made, even when the functions no longer run; resolves when the server has nothing of it.
 */
export async function endTour({
  client,
  clock,
  holds,
}: Pick<RunningCluster, "client" | "clock" | "holds">): Promise<void> {
  const end = clock.now() + goingPatience;
  await client.delete(Namespace, undefined, tourNamespace);
  for (;;) {
    await letGo(client, await heldObjects(client, holds, tourNamespace));
    if (!(await client.get(Namespace, undefined, tourNamespace))) return;
    if (clock.now() > end) throw new UserError(`Namespace ${tourNamespace} was deleted and is still going.`);
    await clock.sleep(100);
  }
}
