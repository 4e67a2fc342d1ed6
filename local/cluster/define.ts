import type { Clock } from "../../shared/clock.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { CustomResourceDefinition } from "../controllers/objects/kinds.ts";

/** Milliseconds until the API server serves a kind that was defined. */
const patience = 60_000;

/**
 * Creates definitions on a cluster that is not our own, and waits until their kinds are served. One that is there stays
 * as it is. None is ever taken away again: all objects of the kind, of whomever, would go with it.
 *
 * @throws UserError where a kind is not served in time.
 */
export async function define(client: Client, definitions: readonly KubernetesObject[], clock: Clock): Promise<void> {
  for (const definition of definitions) {
    try {
      await client.create(CustomResourceDefinition, definition);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
  const end = clock.now() + patience;
  for (const { metadata } of definitions)
    while (!isEstablished(await client.get<KubernetesObject>(CustomResourceDefinition, undefined, metadata.name))) {
      if (clock.now() > end) throw new UserError(`The API server does not serve ${metadata.name} yet: try again.`);
      await clock.sleep(200);
    }
}

function isEstablished(definition: KubernetesObject | undefined): boolean {
  const { conditions = [] } = (definition?.status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some(({ type, status }) => type === "Established" && status === "True");
}
