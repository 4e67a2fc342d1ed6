import type { Client, DeleteOptions, PatchOptions, PatchType } from "./client.ts";
import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./object.ts";

/** One write to the cluster as data, so that a decision stays pure and a test can compare it. */
export type Write =
  | {
      verb: "patch";
      kind: Kind;
      namespace: string | undefined;
      name: string;
      type: PatchType;
      patch: unknown;
      options?: PatchOptions;
    }
  | { verb: "create"; kind: Kind; object: KubernetesObject }
  | { verb: "delete"; kind: Kind; namespace: string | undefined; name: string; options: DeleteOptions };

/** What is left of an object after a write nobody reads. */
const unread = { metadataOnly: true };

/** Sends one write. An object that is gone counts as done. Throws {@link ApiError}. */
export async function send(client: Client, write: Write): Promise<void> {
  if (write.verb === "create") await client.create(write.kind, write.object, unread);
  else if (write.verb === "delete") await client.delete(write.kind, write.namespace, write.name, write.options);
  else
    await client.patch(write.kind, write.namespace, write.name, write.type, write.patch, {
      ...write.options,
      ...unread,
    });
}
